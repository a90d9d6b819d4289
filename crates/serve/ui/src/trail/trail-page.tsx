/** The audit trail: what users did, and why. */
import { gateway } from "../api/gateway";
import type { TrailEntry } from "../api/types";
import { useLive } from "../live/live";
import { Failure } from "../parts/failure";
import { usePages } from "../parts/load";
import { Empty, Page, Waiting } from "../parts/page";
import { type Column, More, Table } from "../parts/table";
import { Moment } from "../parts/time";

const COLUMNS: Column<TrailEntry>[] = [
  { name: "When", cell: (entry) => <Moment at={entry.at} /> },
  { name: "Who", cell: (entry) => entry.who },
  { name: "What", cell: (entry) => <span className="whole">{entry.action}</span> },
  { name: "To what", cell: (entry) => entry.subject },
  {
    name: "Why",
    isWide: true,
    cell: (entry) =>
      entry.reason === null || entry.reason === "" ? (
        <span className="zero">no reason is asked for</span>
      ) : (
        entry.reason
      ),
  },
  {
    name: "Change",
    cell: ({ before, after }) =>
      before === null && after === null ? null : (
        <details>
          <summary>before and after</summary>
          <p className="fixed">{before ?? "nothing"}</p>
          <p className="fixed">{after ?? "nothing"}</p>
        </details>
      ),
  },
];

export function TrailPage() {
  const changes = useLive((live) => live.changes);
  const pages = usePages(
    async (before) => {
      const found = await gateway.trail({ before, limit: 50 });
      return { rows: found.entries, more: found.more };
    },
    (entry) => entry.id,
    [],
    [changes],
  );
  return (
    <Page title="Trail" lead="Every change that a user made, the newest first. Entries cannot be removed.">
      {pages.problem !== null && <Failure problem={pages.problem} again={pages.again} />}
      {pages.rows === null && pages.problem === null && <Waiting />}
      {pages.rows?.length === 0 && (
        <Empty icon="trail" title="No changes yet">
          <p>Saved versions, acknowledged alarms, corrected and discarded records and the like will be listed here.</p>
        </Empty>
      )}
      {pages.rows !== null && pages.rows.length > 0 && (
        <Table label="Trail" columns={COLUMNS} rows={pages.rows} rowKey={(entry) => entry.id} />
      )}
      <More hasMore={pages.hasMore} more={pages.more} />
    </Page>
  );
}
