/** The files that are refused as a whole: set aside, or not fetched from a remote place. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { RefusedFile } from "../api/types";
import { Failure } from "../parts/failure";
import { useLoad } from "../parts/load";
import { ReasonCode } from "../parts/reason-code";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";

/** How many are shown at first, and at most. */
const SHOWN = 20;
const SHOWN_MAX = 1_000;

const KINDS: Record<RefusedFile["kind"], string> = {
  "set-aside": "set aside",
  "not-fetched": "not fetched",
  "not-removed": "not removed there",
};

const COLUMNS: Column<RefusedFile>[] = [
  {
    name: "File",
    isWide: true,
    cell: (file) => (
      <>
        <span className="fixed">{visible(file.path)}</span>
        {!file.is_there && <span className="below muted">not there any more</span>}
      </>
    ),
    value: (file) => file.path,
  },
  {
    name: "Why",
    isWide: true,
    cell: (file) => (
      <>
        {visible(file.reason)}
        <ReasonCode code={file.code} values={file.values} page="/files" />
      </>
    ),
    value: (file) => file.reason,
  },
  { name: "State", cell: (file) => KINDS[file.kind], value: (file) => KINDS[file.kind] },
  { name: "Network element", cell: (file) => file.network_element, value: (file) => file.network_element },
  { name: "Since", cell: (file) => <Moment at={file.since} />, value: (file) => file.since, isDescendingFirst: true },
  {
    name: "Code",
    isSpare: true,
    cell: (file) => <span className="fixed">{file.code}</span>,
    value: (file) => file.code,
  },
];

export function RefusedFiles({ element, code }: { element: string; code: string }) {
  const [limit, setLimit] = useState(SHOWN);
  const { value, problem, again } = useLoad(
    () => gateway.refusedFiles({ network_element: element, code, limit }),
    [element, code, limit],
  );
  if (problem !== null) return <Failure problem={problem} again={again} />;
  if (value === null || value.files.length === 0) return null;
  return (
    <section className="section">
      <h2>Refused</h2>
      <Table label="Refused files" columns={COLUMNS} rows={value.files} rowKey={(file) => file.id} />
      {value.more && limit < SHOWN_MAX && (
        <button type="button" className="button" onClick={() => setLimit(SHOWN_MAX)}>
          Show more
        </button>
      )}
    </section>
  );
}
