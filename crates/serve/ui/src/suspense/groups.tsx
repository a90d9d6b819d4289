/** Groups of records that failed for the same reason, the largest first: one reason often explains many records. */
import { Fragment } from "react";

import type { SuspenseGroup, SuspenseGroups } from "../api/types";
import { Count } from "../parts/count";
import { Sublist } from "../parts/list";
import { count, counted } from "../parts/numbers";
import { PERIOD_WORDS } from "../parts/period";
import type { Column } from "../parts/table";
import { visible } from "../parts/visible";
import { Link } from "../router/router";

/** Returns the address of the records of a group, or of those with a value in their reason. */
function addressOf(group: SuspenseGroup, query: URLSearchParams, value?: string): string {
  const words = new URLSearchParams({ network_element: group.network_element });
  if (group.code === "") words.set("reason", group.reason);
  else {
    words.set("code", group.code);
    words.set("template", group.template);
  }
  if (value !== undefined) words.set("value", value);
  if (group.node === "") words.set("unread", "true");
  else words.set("node", group.node);
  for (const key of ["state", "file", ...PERIOD_WORDS]) {
    const value = query.get(key);
    if (value !== null) words.set(key, value);
  }
  return `/suspense?${words.toString()}`;
}

/** The most frequent values in the reasons of a group: each leads to its records. */
function CommonValues({
  common: { name, values, others },
  newest,
  addressOf,
  isMasked,
}: {
  common: SuspenseGroup["common"][number];
  /** How many records were counted, the newest, if not all were. */
  newest: number | null;
  addressOf: (value: string) => string;
  /** Masked values are no filter, and several may look alike. */
  isMasked: boolean;
}) {
  return (
    <span className="below muted">
      {visible(name)}:{" "}
      {values.map(({ value, records }, place) => (
        <Fragment key={isMasked ? place : value}>
          {place > 0 && ", "}
          {isMasked ? visible(value) : <Link href={addressOf(value)}>{visible(value)}</Link>} ({count(records)})
        </Fragment>
      ))}
      {others > 0 && `, ${counted(others, "other")}`}
      {newest !== null && ` (of the newest ${count(newest)})`}
    </span>
  );
}

export function Groups({ found: { groups, more, masked }, query }: { found: SuspenseGroups; query: URLSearchParams }) {
  const columns: Column<SuspenseGroup>[] = [
    { name: "Records", isNumber: true, cell: (group) => <Count of={group.records} />, value: (group) => group.records },
    {
      name: "Why",
      isWide: true,
      cell: (group) => (
        <>
          <Link href={addressOf(group, query)}>{visible(group.reason)}</Link>
          {group.common.map((common) => (
            <CommonValues
              key={common.name}
              common={common}
              newest={group.counted < group.records ? group.counted : null}
              addressOf={(value) => addressOf(group, query, value)}
              isMasked={masked === true}
            />
          ))}
        </>
      ),
      value: (group) => group.reason,
    },
    {
      name: "Code",
      cell: (group) => <span className="fixed">{group.code}</span>,
      value: (group) => group.code,
    },
    {
      name: "Node",
      cell: (group) => (group.node === "" ? <span className="muted">could not be read</span> : group.node),
      value: (group) => group.node,
    },
    { name: "Network element", cell: (group) => group.network_element, value: (group) => group.network_element },
    {
      name: "First",
      cell: (group) => <Link href={`/suspense/${group.first}`}>record {group.first}</Link>,
      value: (group) => group.first,
    },
  ];
  return (
    <section className="section">
      <h2>By reason</h2>
      <Sublist
        label="Reasons"
        columns={columns}
        rows={groups}
        rowKey={(group) => [group.network_element, group.node, group.code, group.template, group.reason].join("\n")}
      />
      {more && <p className="muted">There are more reasons, with fewer records each.</p>}
    </section>
  );
}
