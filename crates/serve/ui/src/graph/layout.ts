/** Places the nodes automatically, in layers, so that records flow in one direction. */
import { Graph as Layered, layout } from "@dagrejs/dagre";

import type { Graph } from "../api/types";

export type Direction = "right" | "down";

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 70;

/** The distance between layers. The figures of edges are there. */
const BETWEEN_LAYERS = { right: 100, down: 70 };
const BETWEEN_NODES = { right: 40, down: 28 };

export type Places = Map<string, { x: number; y: number }>;

let last: { key: string; places: Places } | null = null;

/** Returns the upper left corner of each node. The last result is cached, because a large graph takes seconds. */
export function places(graph: Graph, direction: Direction): Places {
  const key = JSON.stringify([direction, graph.nodes.map(({ name, from }) => [name, from.map(({ node }) => node)])]);
  if (last?.key !== key) last = { key, places: layered(graph, direction) };
  return last.places;
}

function layered(graph: Graph, direction: Direction): Places {
  const layers = new Layered({ multigraph: true });
  layers.setGraph({
    rankdir: direction === "right" ? "LR" : "TB",
    ranksep: BETWEEN_LAYERS[direction],
    nodesep: BETWEEN_NODES[direction],
  });
  layers.setDefaultEdgeLabel(() => ({}));
  const names = new Set(graph.nodes.map((node) => node.name));
  for (const { name } of graph.nodes) layers.setNode(name, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const node of graph.nodes) {
    for (const from of node.from) {
      if (names.has(from.node)) layers.setEdge(from.node, node.name, {}, from.word);
    }
  }
  layout(layers);
  return new Map(
    graph.nodes.map(({ name }) => {
      const { x, y } = layers.node(name) as { x: number; y: number };
      return [name, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }];
    }),
  );
}
