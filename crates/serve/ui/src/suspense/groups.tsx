/** Groups of records that failed for the same reason, the largest first: one reason often explains many records. */
import type { SuspenseGroup, SuspenseGroups } from "../api/types";
import { Count } from "../parts/count";
import { type Column, Table } from "../parts/table";
import { visible } from "../parts/visible";
import { Link } from "../router/router";

function addressOf(group: SuspenseGroup, query: URLSearchParams): string {
  const words = new URLSearchParams({ network_element: group.network_element, reason: group.reason });
  if (group.node === "") words.set("unread", "true");
  else words.set("node", group.node);
  for (const key of ["state", "file"]) {
    const value = query.get(key);
    if (value !== null) words.set(key, value);
  }
  return `/suspense?${words.toString()}`;
}

export function Groups({ found: { groups, more }, query }: { found: SuspenseGroups; query: URLSearchParams }) {
  const columns: Column<SuspenseGroup>[] = [
    { name: "Records", isNumber: true, cell: (group) => <Count of={group.records} />, value: (group) => group.records },
    {
      name: "Why",
      isWide: true,
      cell: (group) => <Link href={addressOf(group, query)}>{visible(group.reason)}</Link>,
      value: (group) => group.reason,
    },
    {
      name: "Node",
      cell: (group) => (group.node === "" ? <span className="muted">could not be read</span> : group.node),
      value: (group) => group.node,
    },
    { name: "Network element", cell: (group) => group.network_element, value: (group) => group.network_element },
    { name: "First", cell: (group) => <Link href={`/suspense/${group.first}`}>record {group.first}</Link> },
  ];
  return (
    <section className="section">
      <h2>By reason</h2>
      <Table
        label="Reasons"
        columns={columns}
        rows={groups}
        rowKey={(group) => [group.network_element, group.node, group.reason].join("\n")}
      />
      {more && <p className="muted">There are more reasons, with fewer records each.</p>}
    </section>
  );
}
