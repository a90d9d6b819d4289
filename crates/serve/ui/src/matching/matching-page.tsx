/** The groups of records that wait in matching nodes, with the buttons that end them early. */
import { useState } from "react";

import { type GroupChoice, gateway } from "../api/gateway";
import type { GroupEnd, MatchingGroup, MatchingNode } from "../api/types";
import { useLive } from "../live/live";
import { Count } from "../parts/count";
import { TextField } from "../parts/field";
import { List, Sublist } from "../parts/list";
import { useLoad, usePages } from "../parts/load";
import { NodeFilter } from "../parts/node-filter";
import { Empty, Page } from "../parts/page";
import { PeriodFilter, usePeriod } from "../parts/period";
import { useMay } from "../parts/session";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";
import { Link, useAddress, useWord } from "../router/router";
import { EndButtons, EndDialog } from "./end-dialog";
import { OverWords } from "./over";
import { chosenInWords, standOf } from "./words";

const COLUMNS: Column<MatchingGroup>[] = [
  {
    name: "Key",
    cell: (group) => (
      <Link className="fixed break" href={`/matching/${group.id}`}>
        {group.key}
      </Link>
    ),
    value: (group) => group.key,
  },
  { name: "Node", cell: (group) => group.node, value: (group) => group.node },
  { name: "Records", isNumber: true, cell: (group) => <Count of={group.records} />, value: (group) => group.records },
  {
    name: "Since",
    cell: (group) => <Moment at={group.since} />,
    value: (group) => group.since,
    isDescendingFirst: true,
  },
];

const WAITING: Column<MatchingGroup>[] = [
  ...COLUMNS,
  {
    name: "Ends",
    isWide: true,
    cell: (group) => (
      <>
        {group.over != null && <OverWords over={group.over} />}
        {group.asked != null && (
          <span className="below">
            {group.asked.who} asked to {group.asked.end} it: {group.asked.because}
          </span>
        )}
      </>
    ),
    value: ({ over }) => over?.at ?? null,
  },
];

const ENDED: Column<MatchingGroup>[] = [
  ...COLUMNS,
  {
    name: "Ended",
    isWide: true,
    cell: (group) => (
      <>
        {standOf(group)} {group.released != null && <Moment at={group.released} />}
        {group.asked != null && (
          <span className="below muted">
            {group.asked.who} asked to {group.asked.end} it: {group.asked.because}
          </span>
        )}
      </>
    ),
    value: ({ released }) => released,
  },
];

export function MatchingPage() {
  const mayChange = useMay("operator");
  const { query } = useAddress();
  const [node, setNode] = useWord("node");
  const [key, setKey] = useWord("key");
  const period = usePeriod();
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  // The question has the groups that it was put for: those that are shown may be others by the time of the answer.
  const [asked, setAsked] = useState<{ end: GroupEnd; choice: GroupChoice; words: string } | null>(null);
  const has = useLive(({ graph }) => graph?.nodes.some((each) => each.kind === "matching") ?? true);
  const nodes = useLoad(gateway.matchingNodes, [], [query.toString()]);
  const pages = usePages(
    async (after) => {
      const found = await gateway.matching({ node, key, ...period.bounds(Date.now()), after, limit: 50 });
      return { rows: found.groups, more: found.more };
    },
    (group) => group.id,
    [node, key, period.key],
  );
  const waiting = pages.rows?.filter((group) => group.release == null) ?? [];
  const ended = pages.rows?.filter((group) => group.release != null) ?? [];
  // The number of waiting groups is known for a node. For a key, the groups on the page are counted, if it has all.
  const ofNode = nodes.value?.nodes.find((each) => each.node === node)?.groups ?? 0;
  const all = key === "" ? ofNode : waiting.filter((group) => group.node === node).length;
  // Only groups that are shown count: the selection can have groups of an earlier filter.
  const meant = waiting.flatMap(({ id }) => (chosen.has(id) ? [id] : []));
  // The gateway ends the groups of a node and a key, and knows no period.
  const isCounted = key === "" || !pages.hasMore;
  const mayAll = node !== "" && all > 0 && isCounted && !period.isChosen;
  const choice: GroupChoice | null =
    meant.length > 0 ? { ids: meant } : mayAll ? { node, ...(key === "" ? {} : { key }) } : null;
  const words = choice === null ? "" : chosenInWords(choice, meant.length > 0 ? meant.length : all);
  const again = () => {
    nodes.again();
    pages.again();
  };
  const done = () => {
    setAsked(null);
    setChosen(new Set());
    again();
  };
  const isNarrowed = node !== "" || key !== "" || period.isChosen;
  return (
    <Page
      title="Matching"
      lead="Records that wait in matching nodes until all of their group have come, or their time is over. Of a key, groups that wait no more are shown too."
      actions={
        mayChange && choice !== null && <EndButtons words={words} onAsk={(end) => setAsked({ end, choice, words })} />
      }
    >
      <div className="filters">
        <NodeFilter label="Node" kinds={["matching"]} value={node} onValue={setNode} />
        <TextField label="Key" type="search" value={key} onValue={setKey} placeholder="the whole key" />
        <PeriodFilter />
        {isNarrowed && (
          <Link className="button" href="/matching">
            Show all
          </Link>
        )}
      </div>
      {!isNarrowed && nodes.value !== null && nodes.value.nodes.length > 0 && <ByNode nodes={nodes.value.nodes} />}
      <section className="section">
        {waiting.length > 0 && <h2>Groups that wait</h2>}
        {waiting.length > 0 && mayChange && choice === null && (
          <p className="muted">
            {period.isChosen
              ? "Choose groups to end them before their time."
              : "Choose groups, or a node above, to end them before their time."}
          </p>
        )}
        <List
          {...pages}
          problem={pages.problem ?? nodes.problem}
          again={again}
          label="Groups that wait"
          columns={WAITING}
          rows={pages.rows === null ? null : waiting}
          rowKey={(group) => group.id}
          choice={
            mayChange
              ? {
                  chosen,
                  change: setChosen,
                  number: (row) => row.id,
                  name: (row) => `group ${row.key} in ${row.node}`,
                }
              : undefined
          }
          empty={ended.length === 0 && <Nothing isNarrowed={isNarrowed} has={has} />}
        />
      </section>
      {ended.length > 0 && (
        <section className="section">
          <h2>Groups that wait no more</h2>
          <Sublist label="Groups that wait no more" columns={ENDED} rows={ended} rowKey={(group) => group.id} />
        </section>
      )}
      {asked !== null && <EndDialog {...asked} onClose={() => setAsked(null)} onDone={done} />}
    </Page>
  );
}

function ByNode({ nodes }: { nodes: MatchingNode[] }) {
  const columns: Column<MatchingNode>[] = [
    {
      name: "Node",
      isWide: true,
      cell: ({ node }) => <Link href={`/matching?node=${encodeURIComponent(node)}`}>{node}</Link>,
      value: ({ node }) => node,
    },
    { name: "Groups", isNumber: true, cell: ({ groups }) => <Count of={groups} />, value: ({ groups }) => groups },
    { name: "The oldest since", cell: ({ since }) => <Moment at={since} />, value: ({ since }) => since },
  ];
  return (
    <section className="section">
      <h2>By node</h2>
      <Table label="Nodes" columns={columns} rows={nodes} rowKey={({ node }) => node} />
    </section>
  );
}

/** Says why the list is empty, and what to do. */
function Nothing({ isNarrowed, has }: { isNarrowed: boolean; has: boolean }) {
  if (isNarrowed)
    return (
      <Empty icon="matching" title="No such group">
        <p>No group fits what you ask for. A key is compared as a whole; what waits no more is forgotten in time.</p>
      </Empty>
    );
  return (
    <Empty icon="matching" title="No group waits">
      <p>
        {has
          ? "All records that came to matching nodes have gone on."
          : "The flow has no matching node. Add one to the graph where records of one call come in parts."}
      </p>
      {!has && (
        <Link className="button" href="/graph">
          To the graph
        </Link>
      )}
    </Empty>
  );
}
