/** The keyboard focus on the graph. */
import type { Edit, Graph } from "../api/types";

/** Focuses a node, if it is drawn. */
export const focusNode = (name: string) =>
  document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(name)}"]`)?.focus();

/** Returns the node to focus after an edit removes something. */
export function nextTo(graph: Graph, edit: Edit): string | null {
  if (edit.do === "disconnect") return edit.to;
  if (edit.do !== "remove") return null;
  const removed = graph.nodes.find((each) => each.name === edit.name);
  const before = removed?.from[0]?.node;
  const behind = graph.nodes.find((each) => each.from.some((from) => from.node === edit.name));
  const other = graph.nodes.find((each) => each.name !== edit.name);
  return before ?? behind?.name ?? other?.name ?? null;
}
