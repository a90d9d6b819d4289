/** The audit trail: what users did, and why. */
import { gateway } from "../api/gateway";
import type { TrailEntry } from "../api/types";
import { useLive } from "../live/live";
import { Cut } from "../parts/cut";
import { List } from "../parts/list";
import { usePages } from "../parts/load";
import { Empty, Page } from "../parts/page";
import { PeriodFilter, usePeriod } from "../parts/period";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";

const COLUMNS: Column<TrailEntry>[] = [
  { name: "When", cell: (entry) => <Moment at={entry.at} />, value: (entry) => entry.at, isDescendingFirst: true },
  { name: "Who", cell: (entry) => entry.who, value: (entry) => entry.who },
  { name: "What", cell: (entry) => <span className="whole">{entry.action}</span>, value: (entry) => entry.action },
  { name: "To what", cell: (entry) => <Cut text={entry.subject} />, value: (entry) => entry.subject },
  {
    name: "Why",
    isWide: true,
    cell: (entry) => (entry.reason === "" ? <span className="zero">no reason is asked for</span> : entry.reason),
    value: (entry) => entry.reason,
  },
  {
    name: "Change",
    cell: ({ before, after }) =>
      before == null && after == null ? null : (
        <details>
          <summary>before and after</summary>
          <p className="fixed">{before ?? "nothing"}</p>
          <p className="fixed">{after ?? "nothing"}</p>
        </details>
      ),
  },
  { name: "Before", isSpare: true, cell: ({ before }) => <Fixed text={before} />, value: ({ before }) => before },
  { name: "After", isSpare: true, cell: ({ after }) => <Fixed text={after} />, value: ({ after }) => after },
];

const Fixed = ({ text }: { text: TrailEntry["before"] }) => text != null && <span className="fixed break">{text}</span>;

export function TrailPage() {
  const changes = useLive((live) => live.changes);
  const period = usePeriod();
  const pages = usePages(
    async (before) => {
      const found = await gateway.trail({ ...period.bounds(Date.now()), before, limit: 50 });
      return { rows: found.entries, more: found.more };
    },
    (entry) => entry.id,
    [period.key],
    [changes],
  );
  return (
    <Page
      title="Trail"
      lead="Every change that a user made, and every view of subscriber data, the newest first. Entries cannot be removed."
    >
      <div className="filters">
        <PeriodFilter />
      </div>
      <List
        {...pages}
        label="Trail"
        columns={COLUMNS}
        rowKey={(entry) => entry.id}
        empty={
          period.isChosen ? (
            <Empty icon="trail" title="No changes then">
              <p>No user changed anything in the period that you ask for.</p>
            </Empty>
          ) : (
            <Empty icon="trail" title="No changes yet">
              <p>
                Saved versions, acknowledged alarms, corrected and discarded records and the like will be listed here.
              </p>
            </Empty>
          )
        }
      />
    </Page>
  );
}
