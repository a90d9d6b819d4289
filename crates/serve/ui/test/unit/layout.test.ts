import { describe, expect, it } from "vitest";

import type { Graph } from "../../src/api/types";
import { NODE_HEIGHT, NODE_WIDTH, places } from "../../src/graph/layout";
import { type Arrow, neighbour } from "../../src/graph/neighbour";
import { UNNAMED, cards, edges, kindName, outputs, wordOf } from "../../src/graph/shown";
import { inSight, inTheMiddle } from "../../src/graph/sight";
import { find } from "../../src/graph/search";
import { FLOW } from "../fake/example";
import { graphOf } from "../fake/flow-file";

const FIGURE_2 = graphOf(FLOW);

function check(graph: Graph, direction: "right" | "down"): void {
  const where = places(graph, direction);
  const along = direction === "right" ? "x" : "y";
  for (const node of graph.nodes) {
    for (const from of node.from) {
      expect(where.get(node.name)![along], `${from.word} to ${node.name}`).toBeGreaterThan(
        where.get(from.node)![along],
      );
    }
  }
  const all = [...where.values()];
  all.forEach((one, at) => {
    for (const other of all.slice(at + 1)) {
      const isApart = Math.abs(one.x - other.x) >= NODE_WIDTH || Math.abs(one.y - other.y) >= NODE_HEIGHT;
      expect(isApart, `${JSON.stringify(one)} ${JSON.stringify(other)}`).toBe(true);
    }
  });
}

describe("the layout", () => {
  it("goes from left to right, and no node covers another", () => check(FIGURE_2, "right"));
  it("goes downwards where it is narrow", () => check(FIGURE_2, "down"));
  it("has a place for a node that nothing leads to", () => {
    const [first] = FIGURE_2.nodes;
    expect(places({ nodes: [{ ...first!, name: "alone" }] }, "right").get("alone")).toEqual({ x: 0, y: 0 });
  });
  it("survives a source that is not there", () => {
    const graph = { nodes: [{ ...FIGURE_2.nodes[2]!, from: [{ word: "gone", node: "gone", stream: null }] }] };
    expect([...places(graph, "right").keys()]).toEqual(["isBillable"]);
    expect(edges(graph, null)).toEqual([]);
  });
  it("survives a circle, which the check refuses", () => {
    const [one, other] = [FIGURE_2.nodes[2]!, FIGURE_2.nodes[3]!];
    const graph = { nodes: [{ ...one, from: [{ word: other.name, node: other.name, stream: null }] }, other] };
    expect(places(graph, "right").size).toBe(2);
  });
});

describe("a node that is chosen", () => {
  const frame = { width: 800, height: 600 };
  const at = (x: number, y: number, zoom = 1) => inSight({ x, y }, { x: 0, y: 0, zoom }, frame);
  it("is left where it is when it is seen", () => expect(at(100, 100)).toBeNull());
  it("is moved to the left as far as it has to be", () =>
    expect(at(700, 100)).toEqual({ x: -(700 + 190 - 784), y: 0, zoom: 1 }));
  it("is moved down from above", () => expect(at(100, -50)).toEqual({ x: 0, y: 66, zoom: 1 }));
  it("that is sought is in the middle", () =>
    expect(inTheMiddle({ x: 1000, y: 500 }, frame)).toEqual({ x: -695, y: -235, zoom: 1 }));
  it("is where the zoom has it", () => expect(at(700, 100, 0.5)).toBeNull());
});

describe("the arrow keys", () => {
  const where = places(FIGURE_2, "right");
  const to = (from: string, arrow: Arrow) => neighbour(FIGURE_2, where, "right", from, arrow);
  it("go on with the records, and back", () => {
    expect(to("msc-boston", "ArrowRight")).toBe("isBillable");
    expect(to("home-billing", "ArrowLeft")).toBe("home-v5");
    expect(to("home-billing", "ArrowRight")).toBeNull();
  });
  it("go to what stands beside, and no farther than there is something", () => {
    const [upper, lower] = ["msc-boston", "msc-new-york"].sort(
      (one, other) => where.get(one)!.y - where.get(other)!.y,
    ) as [string, string];
    expect([to(upper, "ArrowDown"), to(lower, "ArrowUp"), to(upper, "ArrowUp")]).toEqual([lower, upper, null]);
  });
  it("mean the same where records go downwards", () => {
    const down = places(FIGURE_2, "down");
    expect(neighbour(FIGURE_2, down, "down", "isBillable", "ArrowUp")).toMatch(/^msc-/);
    expect(neighbour(FIGURE_2, down, "down", "unbilled", "ArrowDown")).toBe("statistics");
  });
});

describe("edges", () => {
  it("begin at the handle of their stream", () => {
    const found = edges(FIGURE_2, null).find((edge) => edge.target === "home-v5");
    expect(found).toMatchObject({
      source: "isRoaming",
      sourceHandle: "false",
      ariaLabel: "isRoaming.false to home-v5",
    });
  });
  it("of a filter without a stream are what it said TRUE to", () => {
    expect(edges(FIGURE_2, null).find((edge) => edge.target === "isRoaming")).toMatchObject({ sourceHandle: "true" });
  });
  it("are as many as words in from", () => expect(edges(FIGURE_2, null)).toHaveLength(9));
});

it("the handles of a node are in the order of where they lead", () => {
  const where = places(FIGURE_2, "right");
  const card = cards(FIGURE_2, where, "right", {
    diagnostics: [],
    alarms: [],
    suspended: new Map(),
    isEdited: false,
    selected: null,
  }).find((each) => each.id === "isBillable")!;
  const target = (handle: string) => where.get(handle === "true" ? "isRoaming" : "unbilled")!.y;
  expect(card.data.handles.map(target)).toEqual(card.data.handles.map(target).sort((one, other) => one - other));
});

it("a system gives nothing, and a stream without a name needs none", () => {
  expect(FIGURE_2.nodes.filter((node) => node.kind === "post-processing-system").flatMap(outputs)).toEqual([]);
  expect(wordOf("msc-boston", UNNAMED)).toBe("msc-boston");
  expect(wordOf("isRoaming", "false")).toBe("isRoaming.false");
});

it("a filter has both its streams, also where the gateway knows one, and a formatter one without a name", () => {
  const of = (kind: string, streams: string[]) => outputs({ ...FIGURE_2.nodes[2]!, kind, streams });
  expect([of("filter", ["false"]), of("filter", []), of("filter", ["home", "abroad"])]).toEqual([
    ["true", "false"],
    ["true", "false"],
    ["home", "abroad"],
  ]);
  expect([of("formatter", ["out"]), of("formatter", []), of("matching", ["", "late"])]).toEqual([
    [UNNAMED],
    [UNNAMED],
    [UNNAMED, "late"],
  ]);
});

it("a kind has a name", () =>
  expect([kindName("duplicate-check"), kindName("post-processing-system")]).toEqual([
    "Duplicate check",
    "Post-processing system",
  ]));

it("a node is found by its name first, then by what else it has", () => {
  expect(find(FIGURE_2, "roam").map((node) => node.name)).toEqual(["roaming-v8", "roaming-billing", "isRoaming"]);
  expect(find(FIGURE_2, "unbilled.dup").map((node) => node.name)).toEqual(["unbilled"]);
  expect(find(FIGURE_2, " ")).toEqual([]);
});
