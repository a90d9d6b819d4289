/** All records about a key, from the index of a fraud node. Each request is a view in the audit trail. */
import { type ReactNode, useState } from "react";

import type { Refusal } from "../api/client";
import { gateway } from "../api/gateway";
import { useLive } from "../live/live";
import { Failure } from "../parts/failure";
import { Sublist } from "../parts/list";
import { usePages } from "../parts/load";
import { NodeFilter } from "../parts/node-filter";
import { counted } from "../parts/numbers";
import { Waiting } from "../parts/page";
import { visible } from "../parts/visible";
import { SUBJECT_RECORD_COLUMNS } from "./subject-columns";

/** The records of a page. Their values are read from files. */
const ROWS = 50;

interface SubjectRecordsProps {
  /** The key. */
  of: string;
  /** How many records about it are in indexes. */
  indexed: number;
}

export function SubjectRecords({ of, indexed }: SubjectRecordsProps) {
  const [node, setNode] = useState("");
  /** What is shown: the records of a node, as of a press of the button. */
  const [shown, setShown] = useState<{ node: string; press: number } | null>(null);
  const isShown = shown?.node === node;
  return (
    <section className="section" aria-label="Records">
      <h2>{indexed === 0 ? "Records" : `${counted(indexed, "record")} in the index`}</h2>
      <p className="muted">
        {indexed === 0
          ? "The index of records has none about this key."
          : "All that rules count about this key, also where no rule fired. That you look at them is in the audit trail."}
      </p>
      <div className="filters">
        <NodeOfIndex value={node} onValue={setNode} />
        <button type="button" className="button" onClick={() => setShown({ node, press: (shown?.press ?? 0) + 1 })}>
          {isShown ? "Look again" : "Show records"}
        </button>
      </div>
      {isShown && <Listed key={shown.press} of={of} node={node} />}
    </section>
  );
}

/** Chooses one of several fraud nodes. Each has an index of its own. */
function NodeOfIndex({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  const isOnly = useLive(({ graph }) => (graph?.nodes.filter(({ kind }) => kind === "fraud").length ?? 0) < 2);
  if (isOnly) return null;
  return <NodeFilter label="Node" kinds={["fraud"]} all="the one with an index" value={value} onValue={onValue} />;
}

function Listed({ of, node }: { of: string; node: string }) {
  /** The number of files whose records are not in the index yet. */
  const [waiting, setWaiting] = useState(0);
  const pages = usePages(
    async (after: string | null | undefined) => {
      const found = await gateway.fraudRecords({ key: of, node, after, limit: ROWS });
      setWaiting(found.waiting);
      return { rows: found.records.map((record) => ({ ...record, next: found.next })), more: found.next != null };
    },
    ({ next }) => next,
    [of, node],
  );
  const { rows, problem, again, hasMore, more } = pages;
  return (
    <>
      {problem !== null && <Refused problem={problem} again={again} />}
      {rows === null && problem === null && <Waiting />}
      {waiting > 0 && (
        <p className="muted">
          The records of {counted(waiting, "file")} are not in the index yet: look again in some seconds.
        </p>
      )}
      {rows?.length === 0 && <p className="muted">There are no records about this key.</p>}
      {rows !== null && rows.length > 0 && (
        <Sublist
          label="Records"
          columns={SUBJECT_RECORD_COLUMNS}
          rows={rows}
          rowKey={({ job, record, subject }) => `${job} ${record} ${subject}`}
          hasMore={hasMore}
          more={more}
        />
      )}
    </>
  );
}

/** Why no records are listed. */
function Refused({ problem, again }: { problem: Refusal; again: () => void }) {
  if (problem.code === "key-index-missing")
    return <NoIndex>No fraud node has an index of records, so they cannot be found by a key.</NoIndex>;
  if (problem.code === "key-index-node-unknown") return <NoIndex>{visible(problem.message)}</NoIndex>;
  return <Failure problem={problem} again={again} />;
}

const NoIndex = ({ children }: { children: ReactNode }) => (
  <p className="remark" role="status">
    <span>
      {children} Write <code>index = "30 days"</code> into the table of the fraud node in the flow file. Records that
      come from then on are listed here, for that time.
    </span>
  </p>
);
