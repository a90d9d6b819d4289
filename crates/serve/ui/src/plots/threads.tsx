/** The threads of each group, and the latest decisions about them. */
import { gateway } from "../api/gateway";
import type { Balance, BalanceDecision, BalancedGroup, BalancedReceivers, BalancedThreads } from "../api/types";
import { useLive } from "../live/live";
import { Failure } from "../parts/failure";
import { useLoad } from "../parts/load";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";

const inWords = ({ processes, threads }: BalancedThreads) =>
  processes === 0 ? `${threads}` : `${processes} processes of ${threads}`;

const groups = (common: BalancedThreads): Column<BalancedGroup>[] => [
  { name: "Group", cell: (group) => group.name ?? <span className="muted">in none</span> },
  { name: "Network elements", isWide: true, cell: (group) => group.network_elements.join(", ") },
  {
    name: "Threads",
    cell: ({ own, priority, weight }) =>
      own == null
        ? `the common ${inWords(common)}, priority ${priority}, weight ${weight}`
        : `${inWords(own)} of its own`,
  },
];

const receivers = (common: number): Column<BalancedReceivers>[] => [
  { name: "Group", cell: (group) => group.name ?? <span className="muted">in none</span> },
  { name: "Post-processing systems", isWide: true, cell: (group) => group.post_processing_systems.join(", ") },
  {
    name: "Threads",
    cell: ({ threads, priority, weight }) =>
      threads == null ? `the common ${common}, priority ${priority}, weight ${weight}` : `${threads} of its own`,
  },
];

const DECISIONS: Column<BalanceDecision & { number: number }>[] = [
  {
    name: "When",
    cell: (decision) => <Moment at={decision.at} />,
    value: (decision) => decision.at,
    isDescendingFirst: true,
  },
  { name: "What", cell: (decision) => decision.what, value: (decision) => decision.what },
  { name: "Why", isWide: true, cell: (decision) => decision.why },
];

export function Threads() {
  // A new decision changes the number of threads, so load again when that changes.
  const threads = useLive((live) => live.now?.threads.all);
  const loaded = useLoad(() => gateway.balance(), [], [threads]);
  return (
    <section className="section" aria-label="Threads">
      <div className="section-head">
        <h2>Threads</h2>
      </div>
      {loaded.problem !== null && <Failure problem={loaded.problem} again={loaded.again} />}
      {loaded.value !== null && <Shown balance={loaded.value} />}
    </section>
  );
}

function Shown({ balance }: { balance: Balance }) {
  const decisions = balance.decisions.map((decision, place, all) => ({ ...decision, number: all.length - place }));
  return (
    <>
      <p className="muted">
        {balance.is_found
          ? `The gateway finds how many it needs on ${balance.processors} processors.`
          : "The flow says how many there are, or who started the gateway."}
      </p>
      <Table
        label="Groups"
        columns={groups(balance.common)}
        rows={balance.groups}
        rowKey={(group) => group.name ?? ""}
      />
      {balance.delivering.groups.length > 0 && (
        <>
          <p className="muted">Files are carried to post-processing systems by others.</p>
          <Table
            label="Receivers"
            columns={receivers(balance.delivering.threads)}
            rows={balance.delivering.groups}
            rowKey={(group) => group.name ?? ""}
          />
        </>
      )}
      <Table label="Decisions" columns={DECISIONS} rows={decisions} rowKey={(decision) => decision.number} />
    </>
  );
}
