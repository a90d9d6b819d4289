/** Counters that stopped, or may belong to other subscribers, because the flow changed; and the possible decisions. */
import { useEffect, useState } from "react";

import { gateway } from "../api/gateway";
import type { CountersAction, DoubtedNode } from "../api/types";
import { useLive } from "../live/live";
import { Count } from "../parts/count";
import { Failure } from "../parts/failure";
import { useLoad } from "../parts/load";
import { useMay } from "../parts/session";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";
import { CountersDialog } from "./counters-dialog";

const WHY: Record<DoubtedNode["why"], string> = {
  orphaned:
    "The flow has no rating node of this name any more that keeps counters: its bundles and discounts do not count.",
  "keyed-otherwise":
    "The node says otherwise now whose counters count a record: subscribers may have their bundles twice.",
};

const WORDS: Record<CountersAction, string> = { move: "Move…", accept: "Accept…", forget: "Forget…" };

/** Returns the possible decisions for a node. */
const deedsOf = ({ why }: DoubtedNode): CountersAction[] =>
  why === "orphaned" ? ["move", "forget"] : ["accept", "forget"];

const askedInWords = ({ deed, to }: NonNullable<DoubtedNode["asked"]>) =>
  ({ move: `move them to “${to}”`, accept: "let them count on", forget: "forget them" })[deed];

/** The interval of requests while something is expected that no event reports: a refused decision, or the journal. */
const ASKED_MS = 5_000;

/** The status without a journal: the gateway is still opening it, or has no flow to run. Nothing is counted then. */
const NO_JOURNAL = 503;

/** Shows nothing if all counters work. */
export function Doubted() {
  const mayChange = useMay("operator");
  const changes = useLive((live) => live.changes);
  const loaded = useLoad(gateway.doubtedCounters, [], [changes.flow, changes.alarms]);
  const [asked, setAsked] = useState<{ deed: CountersAction; of: DoubtedNode } | null>(null);
  const { problem, isLoading, again } = loaded;
  const { nodes, keeping } = loaded.value ?? { nodes: [], keeping: [] };
  const isNoJournal = problem?.status === NO_JOURNAL;
  const isToCome = isNoJournal || nodes.some((each) => each.asked != null);
  useEffect(() => {
    if (isLoading || !isToCome) return;
    const timer = setTimeout(again, ASKED_MS);
    return () => clearTimeout(timer);
  }, [isLoading, isToCome, again]);
  const failure = problem !== null && !isNoJournal && <Failure problem={problem} again={again} />;
  if (nodes.length === 0) return failure;
  const columns: Column<DoubtedNode>[] = [
    { name: "Counted in", cell: ({ node }) => <span className="fixed break">{node}</span> },
    { name: "Subscribers", isNumber: true, cell: ({ subscribers }) => <Count of={subscribers} /> },
    { name: "Since", cell: ({ since }) => <Moment at={since} /> },
    {
      name: "Why",
      isWide: true,
      cell: ({ why, asked: wanted }) => (
        <>
          {WHY[why]}
          {wanted != null && (
            <span className="below">
              {wanted.who} asked to {askedInWords(wanted)}: {wanted.because}. It is done as soon as no file is in work.
            </span>
          )}
        </>
      ),
    },
    ...(mayChange
      ? [
          {
            name: "What can be done",
            cell: (of: DoubtedNode) => (
              <span className="actions">
                {deedsOf(of).map((deed) => (
                  <button
                    key={deed}
                    type="button"
                    className="button"
                    aria-label={`${WORDS[deed].replace("…", "")} the counters of ${of.node}`}
                    onClick={() => setAsked({ deed, of })}
                  >
                    {WORDS[deed]}
                  </button>
                ))}
              </span>
            ),
          },
        ]
      : []),
  ];
  // If a later request fails, an open dialog stays.
  return (
    <section className="section" aria-label="Counters that need a decision">
      <h2>Counters that need a decision</h2>
      {failure}
      <p className="muted">
        The flow has changed since these were counted. Where it says again what it said before, they count again by
        themselves.
      </p>
      <Table
        label="Counters that need a decision"
        columns={columns}
        rows={nodes}
        rowKey={({ node, why }) => `${node} ${why}`}
      />
      {asked !== null && (
        <CountersDialog
          {...asked}
          keeping={keeping}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            again();
          }}
        />
      )}
    </section>
  );
}
