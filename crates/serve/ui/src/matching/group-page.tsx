/** A group: its records, their files, and when it ends or why it ended. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { GroupEnd, GroupPart, MatchingGroup } from "../api/types";
import { useLoad } from "../parts/load";
import { count, counted } from "../parts/numbers";
import { Await, Page } from "../parts/page";
import { useMay } from "../parts/session";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { recordsAddress } from "../records/address";
import { Link } from "../router/router";
import { EndButtons, EndDialog } from "./end-dialog";
import { OverWords } from "./over";
import { standOf } from "./words";

export function GroupPage({ id }: { id: string }) {
  const number = Number(id);
  const loaded = useLoad(() => gateway.matchingGroup(number), [number]);
  return (
    <Await loaded={loaded}>
      {({ group, masked }) => <Group key={group.id} group={group} isMasked={masked === true} again={loaded.again} />}
    </Await>
  );
}

const COLUMNS: Column<GroupPart>[] = [
  { name: "Came", cell: (part) => (part.came == null ? "it is forgotten when" : <Moment at={part.came} />) },
  { name: "Made", cell: (part) => part.made != null && <Moment at={part.made} /> },
  { name: "Network element", cell: (part) => part.network_element },
  {
    name: "File",
    isWide: true,
    cell: (part) =>
      part.file == null ? (
        <span className="muted">a file that is forgotten</span>
      ) : (
        <Link className="fixed" href={`/files?name=${encodeURIComponent(part.file)}`}>
          {visible(part.file)}
        </Link>
      ),
  },
  {
    name: "Record",
    cell: ({ network_element, file, record, offset }) => (
      <>
        {file == null || network_element == null ? (
          count(record)
        ) : (
          <Link
            href={recordsAddress({ network_element, file }, record)}
            aria-label={`Look at record ${record} of ${file}`}
          >
            {count(record)}
          </Link>
        )}
        <span className="below muted">octet {count(offset)}</span>
      </>
    ),
  },
  {
    name: "Way",
    cell: ({ file, record }) =>
      file != null && (
        <Link
          href={`/trace?file=${encodeURIComponent(file)}&record=${record}`}
          aria-label={`Trace record ${record} of ${file}`}
        >
          Trace
        </Link>
      ),
  },
];

function Group({ group, isMasked, again }: { group: MatchingGroup; isMasked: boolean; again: () => void }) {
  const mayChange = useMay("operator");
  const [asked, setAsked] = useState<GroupEnd | null>(null);
  const isWaiting = group.release == null;
  const done = () => {
    setAsked(null);
    again();
  };
  const others = new URLSearchParams({ node: group.node, key: group.key });
  return (
    <Page title={`Group ${group.key}`} actions={mayChange && isWaiting && <EndButtons words="" onAsk={setAsked} />}>
      <p className="actions">
        <Link href="/matching">All groups</Link>
        {!isMasked && <Link href={`/matching?${others.toString()}`}>Groups of this key</Link>}
        {group.release === "suspended" && (
          <Link href={`/suspense?node=${encodeURIComponent(group.node)}`}>Suspense of {group.node}</Link>
        )}
      </p>
      <dl className="facts">
        <dt>State</dt>
        <dd>
          {standOf(group)}
          {group.released != null && (
            <>
              {" "}
              since <Moment at={group.released} />
            </>
          )}
          {group.released_by != null && (
            <>
              , by <span className="fixed">{group.released_by}</span>
            </>
          )}
        </dd>
        <dt>Node</dt>
        <dd>{group.node}</dd>
        <dt>Number</dt>
        <dd>{group.id}</dd>
        <dt>Since</dt>
        <dd>
          <Moment at={group.since} />
        </dd>
        {group.first != null && (
          <>
            <dt>Made</dt>
            <dd>
              <Moment at={group.first} />
              {group.last != null && group.last !== group.first && (
                <>
                  {" "}
                  to <Moment at={group.last} />
                </>
              )}
            </dd>
          </>
        )}
        {isWaiting && (
          <>
            <dt>Ends</dt>
            <dd>
              {group.over == null ? (
                "never by itself: the flow has no such node, or has mistakes"
              ) : (
                <OverWords over={group.over} />
              )}
            </dd>
          </>
        )}
        {group.asked != null && (
          <>
            <dt>Asked</dt>
            <dd>
              {group.asked.who} asked to {group.asked.end} it: {group.asked.because}
            </dd>
          </>
        )}
      </dl>
      <section className="section">
        <h2>{counted(group.records, "record")}</h2>
        <Table
          label="Records of the group"
          columns={COLUMNS}
          rows={group.parts ?? []}
          rowKey={(part) => `${part.network_element} ${part.file} ${part.record} ${part.offset}`}
        />
      </section>
      {asked !== null && (
        <EndDialog
          end={asked}
          choice={{ ids: [group.id] }}
          words={`group ${group.key}`}
          onClose={() => setAsked(null)}
          onDone={done}
        />
      )}
    </Page>
  );
}
