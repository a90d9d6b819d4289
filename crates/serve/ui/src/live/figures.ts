/** The figures that components show: records in a window of time, which the gateway counts. */
import type { AlarmCounts, EdgeFigures, Figures, Graph, GraphNode, Source, SuspenseNode } from "../api/types";
import { counted, perSecond } from "../parts/numbers";

/** The windows of the gateway: the last seconds, the last minutes, and today in UTC. */
export const SPANS = ["ten_seconds", "five_minutes", "today"] as const;
export type Span = (typeof SPANS)[number];

export const spanName: Record<Span, string> = { ten_seconds: "10 s", five_minutes: "5 min", today: "today" };

/** The records of a node or an edge in a window. */
export interface Flowing {
  records: number;
  /** Records a second. Null in the moment in which the gateway starts. */
  rate: number | null;
}

/** Returns the records of a place in a window. */
export type Counted = (figures: Figures, span: Span) => number;

export function flowing(figures: Figures, span: Span, of: Counted): Flowing {
  const [records, seconds] = [of(figures, span), figures.seconds[span]];
  return { records, rate: seconds > 0 ? records / seconds : null };
}

/** Returns the records of all windows in words, for a tooltip. */
export const inAllSpans = (figures: Figures, of: Counted) =>
  SPANS.map((span) => {
    const { records, rate } = flowing(figures, span, of);
    return `${spanName[span]}: ${counted(records, "record")}, ${perSecond(rate)}`;
  }).join("\n");

/** The records that came to a node. For a network element, those of its files. */
export const ofNode =
  (name: string): Counted =>
  (figures, span) =>
    (figures.elements[name] ?? figures.nodes[name] ?? figures.systems[name])?.[span].in ?? 0;

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

/** The edges of figures by their ends, cached because every edge of the graph looks itself up each second. */
const byEnds = new WeakMap<Figures, ReadonlyMap<string, EdgeFigures[]>>();

function between(figures: Figures, from: string, to: string): readonly EdgeFigures[] {
  let found = byEnds.get(figures);
  if (found === undefined) byEnds.set(figures, (found = grouped(figures.edges)));
  return found.get(ends(from, to)) ?? [];
}

function grouped(edges: readonly EdgeFigures[]): ReadonlyMap<string, EdgeFigures[]> {
  const found = new Map<string, EdgeFigures[]>();
  for (const edge of edges) {
    const key = ends(edge.from, edge.to);
    const known = found.get(key);
    if (known === undefined) found.set(key, [edge]);
    else known.push(edge);
  }
  return found;
}

const ends = (from: string, to: string) => `${from} → ${to}`;

/** The records that went over an edge, including those that were refused behind it. */
export function ofEdge(source: GraphNode, stream: Source["stream"], to: string): Counted {
  const word = streamOf(source, stream);
  return (figures, span) =>
    between(figures, source.name, to)
      // A single stream has no name in `from`, whatever the gateway calls it.
      .filter((edge) => word === "" || edge.stream === word)
      .reduce((sum, edge) => sum + edge[span], 0);
}

const sum = <T>(of: { [name: string]: T }, value: (each: T) => number) =>
  Object.values(of).reduce((all, each) => all + value(each), 0);

export const allRecords: Counted = (figures, span) => sum(figures.elements, (each) => each[span].in);

/** The files that were done today. */
export const filesToday = (figures: Figures) => sum(figures.elements, (each) => each.today.files);

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
