/** A record in suspense: its content, its octets and its history. */
import "../styles/suspense.css";

import { useEffect, useState } from "react";

import { gateway } from "../api/gateway";
import type { Exact } from "../api/exact-json";
import type { SuspenseDetail } from "../api/types";
import { Actions } from "../parts/actions";
import { Failure } from "../parts/failure";
import { useLoad } from "../parts/load";
import { Masked } from "../parts/masked";
import { count } from "../parts/numbers";
import { Await, Page } from "../parts/page";
import { useMay } from "../parts/session";
import { Table } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { recordsAddress } from "../records/address";
import { Link } from "../router/router";
import { CorrectForm } from "./correct-form";
import { keepCorrection, useCorrection } from "./corrections";
import { DiscardDialog } from "./discard-dialog";
import { LINES_MAX, octetLines } from "./octets";
import { ReopenDialog } from "./reopen-dialog";
import { RetryDialog } from "./retry-dialog";
import { TakeBackDialog } from "./take-back-dialog";

export function SuspenseRecordPage({ id }: { id: string }) {
  const number = Number(id);
  const loaded = useLoad(() => gateway.suspended(number), [number]);
  if (loaded.value === null && loaded.problem !== null)
    return (
      <Page title={`Record ${id} in suspense`}>
        <p>
          <Link href="/suspense">All of suspense</Link>
        </p>
        <Failure problem={loaded.problem} again={loaded.again} />
      </Page>
    );
  return (
    <Await loaded={loaded}>
      {({ detail, json }) => <Record key={number} detail={detail} json={json} again={loaded.again} />}
    </Await>
  );
}

const UNSAVED = "Save your correction first, or undo it";

function Record({ detail, json, again }: { detail: SuspenseDetail; json: Exact | null; again: () => void }) {
  const { record } = detail;
  const mayChange = useMay("operator");
  const [asked, setAsked] = useState<"retry" | "take-back" | "discard" | "reopen" | null>(null);
  const isOpen = record.state === "open";
  const words = `record ${record.id}`;
  const isWritten = useCorrection(record.id) !== null;
  useEffect(() => {
    // A record that is not open cannot be corrected.
    if (!isOpen) keepCorrection(record.id, null);
  }, [isOpen, record.id]);
  const title = isWritten ? UNSAVED : undefined;
  const done = () => {
    setAsked(null);
    again();
  };
  return (
    <Page
      title={`Record ${record.id} in suspense`}
      actions={
        mayChange &&
        (isOpen || record.state === "discarded") && (
          <Actions
            of={
              isOpen
                ? [
                    { name: "Retry…", look: "main", isDisabled: isWritten, title, run: () => setAsked("retry") },
                    ...(record.asked ? [{ name: "Take back the retry…", run: () => setAsked("take-back") }] : []),
                    { name: "Discard…", look: "grave", isDisabled: isWritten, title, run: () => setAsked("discard") },
                  ]
                : [{ name: "Open again…", look: "main", run: () => setAsked("reopen") }]
            }
          />
        )
      }
    >
      <p>
        <Link href="/suspense">All of suspense</Link>
      </p>
      <p className={isOpen ? "remark" : "muted"}>{visible(record.reason)}</p>
      <dl className="facts">
        <dt>State</dt>
        <dd>
          {record.state}
          {record.edited && ", corrected"}
          {record.asked && ", to be retried"}
        </dd>
        <dt>Node</dt>
        <dd>{record.node === "" ? "it could not be read" : record.node}</dd>
        <dt>From</dt>
        <dd>
          {record.network_element}, <span className="fixed">{visible(record.file)}</span>, record {count(record.record)}
          , octet {count(record.offset)}
        </dd>
        <dt>Since</dt>
        <dd>
          <Moment at={record.since} />
        </dd>
        <dt>Its way</dt>
        <dd>
          <Link href={`/trace?suspense=${record.id}`}>Trace the record</Link>,{" "}
          <Link href={recordsAddress({ network_element: record.network_element, file: record.file }, record.record)}>
            look at it in its file
          </Link>
        </dd>
      </dl>
      <div className="beside">
        <CorrectForm
          id={record.id}
          json={json}
          types={detail.types ?? null}
          hex={detail.octets}
          problem={detail.problem ?? null}
          isEdited={mayChange && isOpen && detail.masked !== true}
          onDone={again}
        />
        {detail.masked === true ? <Masked what="Octets are" /> : <Octets title="Octets" hex={detail.octets} />}
        {detail.came != null && <Octets title="Octets as they came" hex={detail.came} />}
      </div>
      <section className="section">
        <h2>What was done</h2>
        {detail.history.length === 0 ? (
          <p className="muted">Nothing yet.</p>
        ) : (
          <Table
            label="What was done"
            columns={[
              { name: "When", cell: (event) => <Moment at={event.at} /> },
              { name: "Who", cell: (event) => event.who },
              { name: "What", cell: (event) => event.action },
              { name: "Why", cell: (event) => event.because },
              {
                name: "What came of it",
                isWide: true,
                cell: (event) => [event.outcome, event.reason].filter((each) => each != null && each !== "").join(": "),
              },
            ]}
            rows={detail.history}
            rowKey={(event) => event.at + event.action}
          />
        )}
      </section>
      {asked === "retry" && (
        <RetryDialog choice={{ ids: [record.id] }} words={words} onClose={() => setAsked(null)} onDone={done} />
      )}
      {asked === "take-back" && (
        <TakeBackDialog choice={{ ids: [record.id] }} words={words} onClose={() => setAsked(null)} onDone={done} />
      )}
      {asked === "reopen" && (
        <ReopenDialog choice={{ ids: [record.id] }} words={words} onClose={() => setAsked(null)} onDone={done} />
      )}
      {asked === "discard" && (
        <DiscardDialog choice={{ ids: [record.id] }} words={words} onClose={() => setAsked(null)} onDone={done} />
      )}
    </Page>
  );
}

function Octets({ title, hex }: { title: string; hex: string }) {
  const [isWhole, setWhole] = useState(false);
  const lines = octetLines(hex);
  const shown = isWhole ? lines : lines.slice(0, LINES_MAX);
  return (
    <section className="section" aria-label={title}>
      <h2>
        {title} <span className="muted">{count(hex.length / 2)}</span>
      </h2>
      <div className="octets" tabIndex={0} role="region" aria-label={`${title}, in hexadecimal`}>
        <pre>
          {shown.map((line) => (
            <span key={line.at} className="octet-line">
              <span className="muted">{line.at}</span> {line.octets.padEnd(47)}{" "}
              <span className="muted">{visible(line.text)}</span>
              {"\n"}
            </span>
          ))}
        </pre>
      </div>
      {lines.length > shown.length && (
        <button type="button" className="button" onClick={() => setWhole(true)}>
          Show all {count(lines.length)} lines
        </button>
      )}
    </section>
  );
}
