/** The collected files, and what happened to their records. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { DoneFile } from "../api/types";
import { filesToday } from "../live/figures";
import { useLive } from "../live/live";
import { Actions } from "../parts/actions";
import { TextField } from "../parts/field";
import { List } from "../parts/list";
import { usePages } from "../parts/load";
import { count, counted, octets } from "../parts/numbers";
import { Empty, Page } from "../parts/page";
import { PeriodFilter, usePeriod } from "../parts/period";
import { useMay } from "../parts/session";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { recordsAddress } from "../records/address";
import { Link, useWord } from "../router/router";
import { NodeFilter } from "../parts/node-filter";
import { Count } from "../parts/count";
import { visible } from "../parts/visible";
import { ReasonCode } from "../parts/reason-code";
import { AgainDialog } from "./again-dialog";
import { RefusedFiles } from "./refused-files";

const number = (name: string, of: (file: DoneFile) => number): Column<DoneFile> => ({
  name,
  isNumber: true,
  cell: (file) => <Count of={of(file)} />,
  value: of,
});

const COLUMNS: Column<DoneFile>[] = [
  {
    name: "File",
    isWide: true,
    cell: (file) => (
      <>
        <Link className="fixed" href={recordsAddress({ job: file.job })} title="Look at its records">
          {visible(file.file)}
        </Link>
        {(file.duplicate_of != null || file.may_come_again) && (
          <span className="below muted">
            {[file.duplicate_of != null && (file.reason ?? "came before"), file.may_come_again && "may come again"]
              .filter(Boolean)
              .join(", ")}
          </span>
        )}
        <ReasonCode code={file.code} values={file.values} page="/files" />
      </>
    ),
    value: (file) => file.file,
  },
  {
    name: "Way",
    cell: (file) => (
      <Link
        href={`/trace?file=${encodeURIComponent(file.file)}&record=1`}
        aria-label={`Trace the records of ${file.file}`}
      >
        Trace
      </Link>
    ),
  },
  { name: "Network element", cell: (file) => file.network_element, value: (file) => file.network_element },
  { name: "Done", cell: (file) => <Moment at={file.done} />, value: (file) => file.done, isDescendingFirst: true },
  number("Records", (file) => file.records),
  number("Delivered", (file) => file.delivered),
  number("Filtered", (file) => file.filtered),
  number("Held", (file) => file.held),
  {
    name: "Suspended",
    isNumber: true,
    cell: (file) =>
      file.suspended === 0 ? (
        <Count of={0} />
      ) : (
        <Link
          href={`/suspense?network_element=${encodeURIComponent(file.network_element)}&file=${encodeURIComponent(file.file)}`}
        >
          {count(file.suspended)}
        </Link>
      ),
    value: (file) => file.suspended,
  },
  number("Duplicate", (file) => file.duplicate),
  {
    name: "Code",
    isSpare: true,
    cell: (file) => <span className="fixed">{file.code}</span>,
    value: (file) => file.code,
  },
  { name: "Octets", isNumber: true, cell: (file) => octets(file.octets), value: (file) => file.octets },
];

/** The letters of a day: `2026-11-21`. */
const DAY_LETTERS = 10;

export function FilesPage() {
  const files = useLive(({ now }) => (now === null ? 0 : filesToday(now)));
  const day = useLive(({ now }) => now?.at.slice(0, DAY_LETTERS) ?? "");
  const [element, setElement] = useWord("network_element");
  const [name, setName] = useWord("name");
  const period = usePeriod();
  const [code, setCode] = useWord("code");
  const [loaded, setLoaded] = useState({ files: 0, day: "" });
  const mayChange = useMay("operator");
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  const [isAsked, setAsked] = useState(false);
  const pages = usePages(
    async (before) => {
      const found = await gateway.files({
        network_element: element,
        name,
        code,
        ...period.bounds(Date.now()),
        before,
        limit: 50,
      });
      if (before === undefined) setLoaded({ files, day });
      return { rows: found.files, more: found.more };
    },
    (file) => file.job,
    [element, name, code, period.key],
  );
  // Another day begins with 0 files.
  const more = loaded.day === day ? files - loaded.files : files;
  // Only rows on the page count: the selection can have rows of an earlier filter.
  const meant = pages.rows?.filter((file) => chosen.has(file.job)) ?? [];
  const isFiltered = element !== "" || name !== "" || code !== "" || period.isChosen;
  return (
    <Page
      title="Files"
      lead="What was collected and processed, the newest first."
      actions={
        mayChange && (
          <Actions
            of={[
              {
                name: meant.length === 0 ? "Let come again…" : `Let ${counted(meant.length, "file")} come again…`,
                isDisabled: meant.length === 0,
                title: "What was processed is no duplicate when it comes again",
                run: () => setAsked(true),
              },
            ]}
          />
        )
      }
    >
      <div className="filters">
        <NodeFilter label="Network element" kinds={["network-element"]} value={element} onValue={setElement} />
        <TextField label="Name" type="search" value={name} onValue={setName} />
        <TextField label="Code" type="search" value={code} onValue={setCode} />
        <PeriodFilter />
        {loaded.day !== "" && more > 0 && !period.isPast(Date.now()) && (
          <button type="button" className="button" onClick={pages.again}>
            {count(more)} more since then: show them
          </button>
        )}
      </div>
      {name === "" && <RefusedFiles element={element} code={code} />}
      <List
        {...pages}
        label="Files"
        columns={COLUMNS}
        rowKey={(file) => file.job}
        choice={
          mayChange ? { chosen, change: setChosen, number: (file) => file.job, name: (file) => file.file } : undefined
        }
        empty={
          isFiltered ? (
            <Empty icon="files" title="No such file">
              <p>No file that was processed fits what you ask for. Names are compared as they are.</p>
            </Empty>
          ) : (
            <Empty icon="files" title="No file was processed yet">
              <p>Put files into the folders that the network elements collect from; the graph shows which these are.</p>
            </Empty>
          )
        }
      />
      {isAsked && (
        <AgainDialog
          files={meant}
          onClose={() => setAsked(false)}
          onDone={() => {
            setAsked(false);
            setChosen(new Set());
            pages.again();
          }}
        />
      )}
    </Page>
  );
}
