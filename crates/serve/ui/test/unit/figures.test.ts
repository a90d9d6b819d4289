import { describe, expect, it } from "vitest";

import type { Figures, GraphNode } from "../../src/api/types";
import {
  SPANS,
  edgeOf,
  filesWaiting,
  flowing,
  inAllSpans,
  ofEdge,
  ofNode,
  placesOf,
  suspendedAt,
  troubleOf,
} from "../../src/live/figures";
import { type Live, after } from "../../src/live/live";
import { graphOf } from "../fake/flow-file";
import { FLOW } from "../fake/example";
import { tick } from "../fake/figures";
import { world } from "../fake/world";

const COUNTS = { in: 0, out: 0, filtered: 0, suspended: 0, held: 0, duplicate: 0 };

/** Returns the same counts in each window, but 30 times and 100 times as many in the longer ones. */
const windows = <T extends object>(counts: T) => {
  const times = (factor: number) =>
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, (count as number) * factor])) as T;
  return { ten_seconds: counts, five_minutes: times(30), today: times(100) };
};

const element = (records: number, waiting = 0) => ({
  waiting,
  ...windows({ ...COUNTS, files: 1, octets: 0, in: records, out: records }),
});

function figures(records: number, some: Partial<Figures> = {}): Figures {
  const edge = (from: string, stream: string, to: string, count: number) => ({
    from,
    stream,
    to,
    ten_seconds: count,
    five_minutes: 30 * count,
    today: 100 * count,
  });
  return {
    at: "2026-11-21T14:05:00Z",
    seconds: { ten_seconds: 10, five_minutes: 300, today: 50_700 },
    elements: { msc: element(records) },
    nodes: { isRoaming: windows({ ...COUNTS, made: 0, in: records, out: records }) },
    systems: {},
    threads: { all: 2, working: 1 },
    suspense_open: 0,
    alarms: { critical: 0, major: 0, minor: 0, warning: 0 },
    alarms_unacknowledged: { critical: 0, major: 0, minor: 0, warning: 0 },
    edges: [
      edge("msc", "", "isRoaming", records),
      edge("isRoaming", "true", "format", records / 4),
      edge("isRoaming", "false", "format", (3 * records) / 4),
      edge("format", "out", "billing", records),
    ],
    journal_is_written: true,
    room: "free",
    ...some,
  };
}

const node = (kind: string, name = "x"): GraphNode => ({
  name,
  kind,
  table: "",
  from: [],
  streams: [],
  settings: {},
  script: null,
  line: 1,
});

describe("the figures of a node", () => {
  it("are the records of the window and their rate", () => {
    expect(flowing(figures(300), "ten_seconds", ofNode("msc"))).toEqual({ records: 300, rate: 30 });
    expect(flowing(figures(300), "five_minutes", ofNode("msc"))).toEqual({ records: 9_000, rate: 30 });
  });
  it("have the right rate in the first seconds of a gateway", () => {
    const young = figures(300, { seconds: { ten_seconds: 3, five_minutes: 3, today: 3 } });
    expect(flowing(young, "ten_seconds", ofNode("msc")).rate).toBe(100);
  });
  it("have no rate in the moment of the start", () => {
    const new_ = figures(0, { seconds: { ten_seconds: 0, five_minutes: 0, today: 0 } });
    expect(flowing(new_, "ten_seconds", ofNode("msc"))).toEqual({ records: 0, rate: null });
  });
  it("are 0 for a node without records", () =>
    expect(flowing(figures(300), "today", ofNode("new"))).toEqual({ records: 0, rate: 0 }));
  it("are told of all windows in words", () =>
    expect(inAllSpans(figures(300), ofNode("msc")).split("\n")).toEqual([
      "10 s: 300 records, 30/s",
      "5 min: 9,000 records, 30/s",
      "today: 30,000 records, 0.6/s",
    ]));
});

describe("the figures of an edge", () => {
  const records = (source: GraphNode, stream: string | null, to: string) =>
    ofEdge(source, stream, to)(figures(400), "ten_seconds");
  const filter = node("filter", "isRoaming");
  it("are those of its stream", () => {
    expect(records(filter, "true", "format")).toBe(100);
    expect(records(filter, "false", "format")).toBe(300);
  });
  it("are of what a filter said TRUE to where no stream is named", () =>
    expect(records(filter, null, "format")).toBe(100));
  it("need no name for a single stream", () => {
    expect(records(node("network-element", "msc"), null, "isRoaming")).toBe(400);
    expect(records(node("formatter", "format"), null, "billing")).toBe(400);
  });
  it("are 0 for an edge without records", () => expect(records(filter, "true", "fraud")).toBe(0));
  it("are at the edges that run, whichever way they are written", () => {
    const from = [{ node: "isRoaming", word: "isRoaming", stream: null }];
    const places = placesOf({ nodes: [filter, { ...node("formatter", "format"), from }] });
    expect(places.has(edgeOf(filter, "true", "format"))).toBe(true);
    expect(places.has(edgeOf(filter, "false", "format"))).toBe(false);
    expect(places.has(edgeOf(filter, "true", "other"))).toBe(false);
  });
});

it("a queue that is longer than some seconds ago grows", () => {
  const waiting = (files: number) => figures(0, { elements: { x: element(0, files) } });
  expect(troubleOf(node("network-element"), waiting(3), waiting(9))).toMatchObject({ waiting: 9, isGrowing: true });
  expect(troubleOf(node("network-element"), waiting(9), waiting(3))).toMatchObject({ waiting: 3, isGrowing: false });
});

it("what is in suspense is where it was refused, or where it came from", () => {
  const group = (node: string, network_element: string, records: number) => ({
    node,
    network_element,
    records,
    reason: "",
    first: 1,
    last: 9,
  });
  const found = suspendedAt([group("isRoaming", "msc", 3), group("isRoaming", "other", 4), group("", "msc", 5)]);
  expect([...found]).toEqual([
    ["isRoaming", 7],
    ["msc", 5],
  ]);
});

describe("events", () => {
  const start = {
    graph: null,
    now: null,
    before: [],
    earlier: null,
    isConnected: false,
    isNew: true,
    changes: { flow: 0, alarms: 0, versions: 0 },
  };
  it("keep the figures of before", () => {
    const first = after(start, "figures", figures(1));
    expect(after(first, "figures", figures(2))).toMatchObject({
      isConnected: true,
      before: [figures(1)],
      earlier: figures(1),
      now: figures(2),
    });
  });
  it("of a new connection begin anew: what was missed is no second's", () => {
    const first = after(after(start, "graph", { nodes: [] }), "figures", figures(1));
    expect(first.before).toEqual([]);
    const again = after(after(first, "graph", { nodes: [] }), "figures", figures(9_000));
    expect([again.now, again.before]).toEqual([figures(9_000), []]);
  });
  it("of the last seconds are kept, and no others", () => {
    let live: Live = start;
    for (let second = 0; second < 40; second += 1) live = after(live, "figures", figures(second));
    expect(live.before.map((each) => each.elements.msc!.ten_seconds.in)).toEqual([30, 31, 32, 33, 34, 35, 36, 37, 38]);
    expect(live.earlier).toEqual(figures(30));
  });
  it("of a new connection say that all may have changed, where there was one before", () => {
    const first = after(start, "graph", { nodes: [] });
    expect(first.changes).toEqual({ flow: 0, alarms: 0, versions: 0 });
    expect(after(first, "graph", { nodes: [] }).changes).toEqual({ flow: 1, alarms: 1, versions: 1 });
  });
  it("say what changed, each by itself", () => {
    expect(after(start, "changed", { what: "alarms" }).changes).toEqual({ flow: 0, alarms: 1, versions: 0 });
  });
});

it("the fake's figures add up in each window", () => {
  const gateway = world("example");
  for (let second = 1; second < 320; second += 1) tick(gateway, second);
  const { elements, nodes, systems, edges, seconds } = gateway.figures;
  expect(seconds).toEqual({ ten_seconds: 10, five_minutes: 309, today: 319 });
  for (const span of SPANS) {
    for (const of of [...Object.values(elements), ...Object.values(nodes)]) {
      const { in: all, out, filtered, suspended, held, duplicate } = of[span];
      expect(all).toBe(out + filtered + suspended + held + duplicate);
    }
    for (const [name, of] of [...Object.entries(nodes), ...Object.entries(systems)]) {
      const came = edges.filter(({ to }) => to === name).reduce((sum, edge) => sum + edge[span], 0);
      expect(came, name).toBe(of[span].in);
    }
  }
  expect(filesWaiting(gateway.figures)).toBeGreaterThan(0);
  expect(Object.keys(nodes)).toEqual(
    graphOf(FLOW)
      .nodes.filter((each) => each.name in nodes)
      .map((each) => each.name),
  );
});
