/** What a new script begins as: what the node that is to run it has to have. */
import type { Graph, GraphNode } from "../api/types";

/** A text that the check takes, where it is known what comes to the node; otherwise what has to be written. */
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

/** The type of the records that come to a node, where no node before it makes others of them. */
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

/** Kinds of nodes from which records come as they went in. */
const PASSES = ["network-element", "filter", "duplicate-check"];

/** `is-long` as a function may be called. */
const identifier = (name: string) =>
  name
    .replace(/[-_]+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^[^A-Za-z]+|[^A-Za-z0-9]/g, "") || "node";
