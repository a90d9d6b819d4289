/** What users and programs changed in the charging system, and why. It has a journal of its own, and so a trail. */
import { gateway } from "../api/gateway";
import type { ChargingTrailEntry } from "../api/types";
import { Cut } from "../parts/cut";
import { List } from "../parts/list";
import { usePages } from "../parts/load";
import { Empty } from "../parts/page";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";

const COLUMNS: Column<ChargingTrailEntry>[] = [
  { name: "When", cell: (entry) => <Moment at={entry.at} />, value: (entry) => entry.at, isDescendingFirst: true },
  { name: "Who", cell: (entry) => entry.who, value: (entry) => entry.who },
  { name: "What", cell: (entry) => <span className="whole">{entry.action}</span>, value: (entry) => entry.action },
  { name: "To what", cell: (entry) => <Cut text={entry.subject} />, value: (entry) => entry.subject },
  { name: "Why", isWide: true, cell: (entry) => entry.reason, value: (entry) => entry.reason },
];

export function Changes({ since }: { since: number }) {
  const pages = usePages(
    async (before) => {
      const found = await gateway.chargingTrail({ before, limit: 50 });
      return { rows: found.entries, more: found.more };
    },
    (entry) => entry.id,
    [],
    [since],
  );
  return (
    <List
      {...pages}
      label="Changes"
      columns={COLUMNS}
      rowKey={(entry) => entry.id}
      empty={
        <Empty icon="trail" title="No changes yet">
          <p>Opened accounts, refills, adjustments and the like will be listed here.</p>
        </Empty>
      }
    />
  );
}
