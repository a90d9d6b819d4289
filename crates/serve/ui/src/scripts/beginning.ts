/** The initial text of a new script, for the node that runs it. */
import type { Graph, GraphNode } from "../api/types";

/**
 * Returns a text that passes the check if the type of the node's records is known. Else the text shows what to fill in.
 */
export function beginning(graph: Graph | null, file: string): string {
  const node = graph?.nodes.find((each) => each.script === file);
  if (graph == null || node === undefined) return "";
  const name = identifier(node.name);
  const record = recordsOf(graph, node, new Set()) ?? "Record";
  switch (node.kind) {
    case "filter":
      return `-- Which records ${node.name} lets go on as true.\nBOOLEAN ${name}(cdr CONST ${record})\n{\n  return TRUE;\n}\n`;
    case "formatter":
      return `-- What ${node.name} makes of a record: name the type of that in the place of Made.\nNULL ${name}(in CONST ${record}, out Made)\n{\n}\n`;
    default:
      return `-- The functions of the ${node.kind} node ${node.name}.\n`;
  }
}

/** Returns the type of the records that a node receives, if every node before it passes records unchanged. */
function recordsOf(graph: Graph, node: GraphNode, met: Set<string>): string | null {
  met.add(node.name);
  const decode = node.settings.decode;
  if (node.kind === "network-element") {
    const type = typeof decode === "object" && decode !== null && "type" in decode ? decode.type : null;
    return typeof type === "string" ? type.slice(type.lastIndexOf(".") + 1) : null;
  }
  const before = node.from.map((from) => graph.nodes.find((each) => each.name === from.node));
  const types = before.map((each) =>
    each === undefined || met.has(each.name) || !PASSES.includes(each.kind) ? null : recordsOf(graph, each, met),
  );
  return types.length > 0 && types.every((type) => type === types[0]) ? types[0]! : null;
}

/** The kinds of nodes that pass records unchanged. */
const PASSES = ["network-element", "filter", "duplicate-check"];

/** Makes a function name of a node's name: `is-long` becomes `isLong`. */
const identifier = (name: string) =>
  name
    .replace(/[-_]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^[^A-Za-z]+|[^A-Za-z0-9]/g, "") || "node";
