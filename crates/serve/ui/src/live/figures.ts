/** From totals to what happens a second. The gateway says totals since its start; the difference is made here. */
import type { AlarmCounts, Figures, Graph, GraphNode, SuspenseNode } from "../api/types";

/** What is shown of a node, a second and in all. */
export interface Flowing {
  /** The mean of the last seconds. None until two figures have come. */
  rate: number | null;
  total: number;
}

/**
 * What totals, the oldest first, grew by a second. A total that is less than before is of who counts anew: how much of it
 * is of these seconds is not known. What was not told of at first had nothing.
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

/** From so many seconds on the moments say how long it was: between them figures were missed. */
const MISSED_SECONDS = 3;

/** The seconds between two figures. Moments are whole seconds, so of those that follow each other `seconds` says it better. */
export function between(before: Figures, now: Figures): number {
  const apart = (Date.parse(now.at) - Date.parse(before.at)) / 1000;
  return apart >= MISSED_SECONDS ? apart : now.seconds;
}

/** Rates are means of nine ticks: files come seldom and are quickly through. The half is for ticks that come late. */
const MEAN_SECONDS = 9.5;

/** Those of what came before, the oldest first, that a mean is made from: the last at least. */
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

/** What runs and has no figures has not had a record yet. */
export const NONE_YET: Flowing = { rate: 0, total: 0 };

/** `before` are figures of the last seconds, the oldest first. */
export function flowing(before: readonly Figures[], now: Figures | null, total: Total): Flowing | null {
  const value = now === null ? undefined : total(now);
  if (now === null || value === undefined) return null;
  const all = [...before, now];
  return { rate: rate(all.map(total), secondsOf(all)), total: value };
}

/** Records that come into a node; of a network element, those that it sent. */
export function ofNode(name: string): Total {
  return (figures) => figures.elements[name]?.records ?? figures.nodes[name]?.records ?? figures.systems[name]?.records;
}

/** The stream that an edge takes: `from = "isRoaming"` of a filter means what it said TRUE to. */
const streamOf = (source: GraphNode, stream: string | null) => stream ?? (source.kind === "filter" ? "true" : "");

/** An edge, whichever way a flow file writes where it begins. */
export const edgeOf = (source: GraphNode, stream: string | null, to: string) =>
  `${source.name}.${streamOf(source, stream)} → ${to}`;

/** What runs by a graph: its nodes by their names, and its edges. */
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

/** Records that went over an edge since it is there. */
export function ofEdge(source: GraphNode, stream: string | null, to: string): Total {
  const left = ofStream(source, stream);
  const word = streamOf(source, stream);
  return (figures) => {
    const all = left(figures);
    // One stream alone has no name in `from`, whatever the gateway calls it.
    const edge = figures.edges.find(
      (each) => each.from === source.name && each.to === to && (word === "" || each.stream === word),
    );
    return all === undefined ? undefined : Math.max(0, all - (edge?.before ?? 0));
  };
}

/** Records that left a node by a stream. */
export function ofStream(source: GraphNode, stream: string | null): Total {
  const { name } = source;
  return (figures) => {
    const element = figures.elements[name];
    if (element !== undefined) return element.records;
    const node = figures.nodes[name];
    if (node === undefined) return undefined;
    const word = streamOf(source, stream);
    // What a formatter or a matching node makes leaves it by one stream, which has no name.
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

/** Those that somebody is to look at at once: nobody has acknowledged them. */
export const alarmsGrave = ({ alarms_unacknowledged: { critical, major } }: Figures) => critical + major;

export const alarmsRaised = (counts: AlarmCounts) => counts.critical + counts.major + counts.minor + counts.warning;

/** What keeps a node from its work, for a glance. */
export interface Trouble {
  waiting: number;
  /** Whether more waits than before: it does not keep up. */
  isGrowing: boolean;
}

/** How it stands with a node. `earlier` are figures of some seconds ago: whether a queue grows is not seen in one. */
export function troubleOf(node: GraphNode, earlier: Figures | null, now: Figures | null): Trouble {
  const waiting = waitingAt(node.name, now);
  return {
    waiting,
    isGrowing: earlier !== null && waiting > waitingAt(node.name, earlier),
  };
}

/** Records that are open in suspense, by where they were refused; those that could not be read, by where they came from. */
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

/** Whether two graphs have the same nodes and edges, whatever else changed. */
export function isSameShape(one: Graph, other: Graph): boolean {
  return shape(one) === shape(other);
}

const shape = (graph: Graph) =>
  JSON.stringify(graph.nodes.map((node) => [node.name, node.kind, node.streams, node.from.map((from) => from.word)]));
