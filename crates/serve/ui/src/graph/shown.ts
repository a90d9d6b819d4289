/** Converts the graph for React Flow. It has no figures: they change each second, and each node reads its own. */
import { type Edge, type Node, Position } from "@xyflow/react";

import type { Alarm, Diagnostic, Graph, GraphNode, Source } from "../api/types";
import { type Direction, NODE_HEIGHT, NODE_WIDTH, type Places } from "./layout";

/** What is known of the nodes besides the graph. */
export interface Shown {
  diagnostics: Diagnostic[];
  alarms: Alarm[];
  /** The number of open records in suspense, by node. */
  suspended: ReadonlyMap<string, number>;
}

export type CardNode = Node<
  {
    node: GraphNode;
    direction: Direction;
    /** The outputs, ordered by the places of their targets so that edges cross less. */
    handles: string[];
    diagnostics: Diagnostic[];
    alarms: Alarm[];
    /** The number of the node's open records in suspense. */
    suspended: number;
    /** Whether the node shows handles to connect. */
    isEdited: boolean;
  },
  "card"
>;

export type FlowEdge = Edge<
  {
    source: GraphNode;
    word: string;
    stream: Source["stream"];
    /** The index among the edges between the same nodes. Their figures stand below each other. */
    place: number;
  },
  "flow"
>;

/** The id of the handle of an unnamed stream. A handle needs an id. */
export const UNNAMED = "-";

const TRUTHS = ["true", "false"];

/** Returns the streams of a node, as ids of handles. A post-processing system has none. */
export function outputs(node: GraphNode): string[] {
  if (node.kind === "post-processing-system") return [];
  // In a flow with mistakes, only the streams that an edge uses are known.
  if (node.kind === "filter" && node.streams.every((stream) => TRUTHS.includes(stream))) return TRUTHS;
  // A single stream needs no name, whatever the gateway calls it.
  return node.streams.length <= 1 ? [UNNAMED] : node.streams.map((stream) => (stream === "" ? UNNAMED : stream));
}

/** Returns the handle of an edge: `from = "isRoaming"` of a filter means the stream `true`. */
function handleOf(source: GraphNode, stream: Source["stream"]): string {
  const handles = outputs(source);
  const wanted = stream ?? (source.kind === "filter" ? "true" : UNNAMED);
  return handles.includes(wanted) ? wanted : (handles[0] ?? UNNAMED);
}

/** Returns the outputs of a node, ordered by the places of their targets. Unused outputs are last. */
function ordered(node: GraphNode, takers: GraphNode[], places: Places, direction: Direction): string[] {
  const handles = outputs(node);
  if (handles.length < 2) return handles;
  const across = (name: string) => places.get(name)?.[direction === "right" ? "y" : "x"] ?? Infinity;
  const middle = (handle: string) => {
    const own = takers.filter((each) =>
      each.from.some((from) => from.node === node.name && handleOf(node, from.stream) === handle),
    );
    return own.length === 0 ? Infinity : own.reduce((sum, each) => sum + across(each.name), 0) / own.length;
  };
  const middles = new Map(handles.map((handle) => [handle, middle(handle)]));
  // Two unused outputs keep their order: Infinity minus Infinity is NaN.
  return [...handles].sort((one, other) => middles.get(one)! - middles.get(other)! || 0);
}

/** Returns an output in the notation of `from`. */
export const wordOf = (node: string, handle: string | null) =>
  handle === null || handle === UNNAMED || handle === "" ? node : `${node}.${handle}`;

export const takesRecords = (kind: string) => kind !== "network-element";

export function cards(
  graph: Graph,
  places: Places,
  direction: Direction,
  of: Shown & { isEdited: boolean; selected: string | null },
): CardNode[] {
  const takers = new Map<string, GraphNode[]>();
  for (const node of graph.nodes)
    for (const from of new Set(node.from.map((each) => each.node)))
      takers.set(from, [...(takers.get(from) ?? []), node]);
  return graph.nodes.map((node) => ({
    id: node.name,
    type: "card",
    position: places.get(node.name) ?? { x: 0, y: 0 },
    width: NODE_WIDTH,
    height: NODE_HEIGHT,
    // Without it, React Flow forgets the handles whenever the data of a node changes.
    measured: { width: NODE_WIDTH, height: NODE_HEIGHT },
    sourcePosition: direction === "right" ? Position.Right : Position.Bottom,
    targetPosition: direction === "right" ? Position.Left : Position.Top,
    selected: node.name === of.selected,
    ariaLabel: `${kindName(node.kind)} ${node.name}`,
    data: {
      node,
      direction,
      handles: ordered(node, takers.get(node.name) ?? [], places, direction),
      diagnostics: of.diagnostics.filter((each) => each.node === node.name),
      alarms: of.alarms.filter((alarm) => alarm.cleared == null && alarm.subject === node.name),
      suspended: of.suspended.get(node.name) ?? 0,
      isEdited: of.isEdited,
    },
  }));
}

export function edges(graph: Graph, selected: string | null): FlowEdge[] {
  const nodes = new Map(graph.nodes.map((node) => [node.name, node]));
  const between = new Map<string, number>();
  return graph.nodes.flatMap((node) =>
    node.from.flatMap(({ node: name, word, stream }): FlowEdge[] => {
      const source = nodes.get(name);
      if (source === undefined) return [];
      const pair = `${name} ${node.name}`;
      const place = between.get(pair) ?? 0;
      between.set(pair, place + 1);
      const id = edgeId(word, node.name);
      return [
        {
          id,
          type: "flow",
          source: name,
          target: node.name,
          sourceHandle: handleOf(source, stream),
          selected: id === selected,
          ariaLabel: `${word} to ${node.name}`,
          data: { source, word, stream, place },
        },
      ];
    }),
  );
}

export const edgeId = (word: string, to: string) => `${word} → ${to}`;

/** Formats a kind for reading: `network-element` becomes "Network element". */
export function kindName(kind: string): string {
  if (kind === "post-processing-system") return "Post-processing system";
  const words = kind.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
