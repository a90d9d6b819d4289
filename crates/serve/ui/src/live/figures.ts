/** Computes rates from totals. The gateway sends totals since its start. */
import type { AlarmCounts, Figures, Graph, GraphNode, Source, SuspenseNode } from "../api/types";

/** The figures of a node or an edge: a rate per second, and a total. */
export interface Flowing {
  /** The mean of the last seconds. Null until two figures have arrived. */
  rate: number | null;
  total: number;
}

/**
 * Returns by how much a total grows per second. `totals` has the oldest first. A total that is less than the one before
 * comes from a counter that started again: the part that belongs to these seconds is unknown, and counts as 0. A total
 * that is undefined at first counts as 0.
 */
export function rate(totals: readonly (number | undefined)[], seconds: number): number | null {
  if (totals.length < 2 || seconds <= 0) return null;
  let last = totals[0] ?? 0;
  let more = 0;
  for (const total of totals) {
    if (total === undefined) continue;
    more += Math.max(0, total - last);
    last = total;
  }
  return more / seconds;
}

/** From this difference of times on, figures were missed and the times give the interval. */
const MISSED_SECONDS = 3;

/**
 * Returns the seconds between two figures. Times are whole seconds, so `seconds` is more precise for consecutive
 * figures.
 */
export function between(before: Figures, now: Figures): number {
  const apart = (Date.parse(now.at) - Date.parse(before.at)) / 1000;
  return apart >= MISSED_SECONDS ? apart : now.seconds;
}

/**
 * Rates are means of nine ticks, because files come rarely and are processed fast. The half second allows for late
 * ticks.
 */
const MEAN_SECONDS = 9.5;

/** Returns the earlier figures, oldest first, that the mean uses: at least the last one. */
export function recent(before: readonly Figures[], now: Figures): readonly Figures[] {
  let seconds = 0;
  let start = before.length;
  while (start > 0) {
    seconds += between(before[start - 1]!, before[start] ?? now);
    if (seconds > MEAN_SECONDS && start < before.length) break;
    start -= 1;
  }
  return before.slice(start);
}

function secondsOf(all: readonly Figures[]): number {
  return all.slice(1).reduce((sum, each, place) => sum + between(all[place]!, each), 0);
}

export type Total = (figures: Figures) => number | undefined;

/** The figures of a node that runs and has had no record yet. */
export const NONE_YET: Flowing = { rate: 0, total: 0 };

/** Returns the rate and the total. `before` has the figures of the last seconds, the oldest first. */
export function flowing(before: readonly Figures[], now: Figures | null, total: Total): Flowing | null {
  const value = now === null ? undefined : total(now);
  if (now === null || value === undefined) return null;
  const all = [...before, now];
  return { rate: rate(all.map(total), secondsOf(all)), total: value };
}

/** The records that enter a node. For a network element, those that it sent. */
export function ofNode(name: string): Total {
  return (figures) => figures.elements[name]?.records ?? figures.nodes[name]?.records ?? figures.systems[name]?.records;
}

/** The stream that an edge takes: `from = "isRoaming"` of a filter means the stream `true`. */
const streamOf = (source: GraphNode, stream: Source["stream"]) => stream ?? (source.kind === "filter" ? "true" : "");

/** The id of an edge, the same for each notation of its source in a flow file. */
export const edgeOf = (source: GraphNode, stream: Source["stream"], to: string) =>
  `${source.name}.${streamOf(source, stream)} → ${to}`;

/** Returns the names of the nodes and the ids of the edges that a graph runs. */
export function placesOf({ nodes }: Graph): ReadonlySet<string> {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const edges = nodes.flatMap(({ name, from }) =>
    from.flatMap(({ node, stream }) => {
      const source = byName.get(node);
      return source === undefined ? [] : [edgeOf(source, stream, name)];
    }),
  );
  return new Set([...byName.keys(), ...edges]);
}

/** The records that went over an edge since it exists. */
export function ofEdge(source: GraphNode, stream: Source["stream"], to: string): Total {
  const left = ofStream(source, stream);
  const word = streamOf(source, stream);
  return (figures) => {
    const all = left(figures);
    // A single stream has no name in `from`, whatever the gateway calls it.
    const edge = figures.edges.find(
      (each) => each.from === source.name && each.to === to && (word === "" || each.stream === word),
    );
    return all === undefined ? undefined : Math.max(0, all - (edge?.before ?? 0));
  };
}

/** The records that left a node by a stream. */
export function ofStream(source: GraphNode, stream: Source["stream"]): Total {
  const { name } = source;
  return (figures) => {
    const element = figures.elements[name];
    if (element !== undefined) return element.records;
    const node = figures.nodes[name];
    if (node === undefined) return undefined;
    const word = streamOf(source, stream);
    // A formatter or a matching node gives its records by one stream without a name.
    return node.streams[word] ?? (word === "" ? (soleOf(node.streams) ?? node.made) : 0);
  };
}

function soleOf(streams: { [stream: string]: number }): number | undefined {
  const all = Object.values(streams);
  return all.length === 1 ? all[0] : undefined;
}

const sum = <T>(of: { [name: string]: T }, value: (each: T) => number) =>
  Object.values(of).reduce((all, each) => all + value(each), 0);

export const allRecords: Total = (figures) => sum(figures.elements, (each) => each.records);

export const filesWaiting = (figures: Figures) => sum(figures.elements, (each) => each.waiting);

export const deliveriesWaiting = (figures: Figures) => sum(figures.systems, (each) => each.waiting_deliveries);

/** The alarms that need attention at once: critical or major, and not acknowledged. */
export const alarmsGrave = ({ alarms_unacknowledged: { critical, major } }: Figures) => critical + major;

export const alarmsRaised = (counts: AlarmCounts) => counts.critical + counts.major + counts.minor + counts.warning;

/** The number of files that wait at a node. */
export interface Trouble {
  waiting: number;
  /** Whether more wait than before: the node does not keep up. */
  isGrowing: boolean;
}

/** Returns the number of waiting files. `earlier` is from some seconds ago and shows whether the queue grows. */
export function troubleOf(node: GraphNode, earlier: Figures | null, now: Figures | null): Trouble {
  const waiting = waitingAt(node.name, now);
  return {
    waiting,
    isGrowing: earlier !== null && waiting > waitingAt(node.name, earlier),
  };
}

/**
 * Counts the open records in suspense by the node that refused them. Unreadable records count at their network element.
 */
export function suspendedAt(nodes: readonly SuspenseNode[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { node, network_element, records } of nodes) {
    const name = node === "" ? network_element : node;
    found.set(name, (found.get(name) ?? 0) + records);
  }
  return found;
}

function waitingAt(name: string, figures: Figures | null): number {
  return figures?.elements[name]?.waiting ?? figures?.systems[name]?.waiting_deliveries ?? 0;
}

/** Returns whether two graphs have the same nodes and edges, whatever else differs. */
export function isSameShape(one: Graph, other: Graph): boolean {
  return shape(one) === shape(other);
}

const shape = (graph: Graph) =>
  JSON.stringify(graph.nodes.map((node) => [node.name, node.kind, node.streams, node.from.map((from) => from.word)]));
