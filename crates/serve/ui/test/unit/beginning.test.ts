/** The initial text of a new script. */
import { expect, it } from "vitest";

import type { Graph, GraphNode } from "../../src/api/types";
import { beginning } from "../../src/scripts/beginning";
import { FLOW } from "../fake/example";
import { graphOf } from "../fake/flow-file";

const FIGURE_2 = graphOf(FLOW);

function check(node: Partial<GraphNode>, from: string, first: string): void {
  const sources = from === "" ? [] : [{ word: from, node: from.split(".")[0]!, stream: from.split(".")[1] ?? null }];
  const all: GraphNode = { ...FIGURE_2.nodes[2]!, script: "new.dup", from: sources, ...node };
  const graph: Graph = { nodes: [...FIGURE_2.nodes, all] };
  expect(beginning(graph, "new.dup").split("\n")[1]).toBe(first);
}

it("a filter takes the records of the network elements before it", () =>
  check({ name: "isLong" }, "isRoaming.true", "BOOLEAN isLong(cdr CONST CallDataRecord)"));
it("a name that no function can have becomes one", () =>
  check({ name: "2-is_long" }, "isRoaming.true", "BOOLEAN IsLong(cdr CONST CallDataRecord)"));
it("behind a formatter it is not known what comes", () =>
  check({ name: "isLong" }, "home-v5", "BOOLEAN isLong(cdr CONST Record)"));
it("nor where nothing comes yet", () => check({ name: "isLong" }, "", "BOOLEAN isLong(cdr CONST Record)"));
it("a formatter makes something", () =>
  check({ name: "short", kind: "formatter" }, "isRoaming.true", "NULL short(in CONST CallDataRecord, out Made)"));
it("of a script that no node names nothing is known", () => expect(beginning(FIGURE_2, "none.dup")).toBe(""));
it("a circle, which the check refuses, has an end", () => {
  const [one, other] = [FIGURE_2.nodes[2]!, FIGURE_2.nodes[3]!];
  const from = (node: string) => [{ word: node, node, stream: null }];
  const graph = {
    nodes: [
      { ...one, script: "new.dup", from: from(other.name) },
      { ...other, from: from(one.name) },
    ],
  };
  expect(beginning(graph, "new.dup")).toContain("CONST Record)");
});
