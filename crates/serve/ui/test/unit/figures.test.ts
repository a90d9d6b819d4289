import { describe, expect, it } from "vitest";

import type { Figures, GraphNode } from "../../src/api/types";
import {
  between,
  edgeOf,
  filesWaiting,
  flowing,
  ofEdge,
  ofNode,
  ofStream,
  placesOf,
  rate,
  recent,
  suspendedAt,
  troubleOf,
} from "../../src/live/figures";
import { type Live, after } from "../../src/live/live";
import { graphOf } from "../fake/flow-file";
import { FLOW } from "../fake/example";
import { tick } from "../fake/figures";
import { world } from "../fake/world";

const NOTHING = { delivered: 0, filtered: 0, held: 0, suspended: 0, duplicate: 0 };

function figures(records: number, some: Partial<Figures> = {}): Figures {
  return {
    at: "2026-11-21T14:05:00Z",
    seconds: 2,
    elements: { msc: { files: 1, records, waiting: 0, octets: 0, outcomes: NOTHING } },
    nodes: {
      isRoaming: { records, outcomes: {}, made: records, streams: { true: records / 4, false: (3 * records) / 4 } },
      format: { records, outcomes: {}, made: records, streams: {} },
    },
    systems: {},
    threads: { all: 2, working: 1 },
    suspense_open: 0,
    alarms: { critical: 0, major: 0, minor: 0, warning: 0 },
    alarms_unacknowledged: { critical: 0, major: 0, minor: 0, warning: 0 },
    edges: [],
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

describe("a rate", () => {
  it("is what came by the seconds", () => expect(rate([100, 100, 300], 2)).toBe(100));
  it("is of what came before and since where it is counted anew", () =>
    expect(rate([1_000, 1_100, 1_000, 1_060], 4)).toBe(40));
  it("is not of what came while it was not told of", () => expect(rate([1_000, undefined, 1_040], 2)).toBe(20));
  it("is not known before there are two figures", () => expect(rate([60], 2)).toBeNull());
  it("is not known of no time", () => expect(rate([1, 60], 0)).toBeNull());
});

describe("the time between two figures", () => {
  const at = (second: number) =>
    figures(0, { at: `2026-11-21T14:05:${String(second).padStart(2, "0")}Z`, seconds: 1.001 });
  it("is what they say, as they follow each other", () =>
    expect([between(at(1), at(2)), between(at(1), at(3))]).toEqual([1.001, 1.001]));
  it("is that of their moments, where some were missed", () => expect(between(at(1), at(31))).toBe(30));
});

describe("what flows", () => {
  it("has a rate and a total", () =>
    expect(flowing([figures(100)], figures(300), ofNode("msc"))).toEqual({ rate: 100, total: 300 }));
  it("is nothing of a node that does not run", () =>
    expect(flowing([figures(100)], figures(300), ofNode("new"))).toBeNull());
  it("had nothing before it was told of", () =>
    expect(flowing([figures(0, { elements: {} })], figures(300), ofNode("msc"))).toEqual({ rate: 150, total: 300 }));
  it("is each stream's own on the edges of a filter", () => {
    const total = ofStream(node("filter", "isRoaming"), "false");
    expect(flowing([figures(100)], figures(300), total)).toEqual({ rate: 75, total: 225 });
  });
  it("is what a filter said TRUE to where no stream is named", () => {
    expect(flowing([], figures(400), ofStream(node("filter", "isRoaming"), null))).toEqual({
      rate: null,
      total: 100,
    });
  });
  it("is at the edges that run, whichever way they are written", () => {
    const filter = node("filter", "isRoaming");
    const from = [{ node: "isRoaming", word: "isRoaming", stream: null }];
    const places = placesOf({ nodes: [filter, { ...node("formatter", "format"), from }] });
    expect(places.has(edgeOf(filter, "true", "format"))).toBe(true);
    expect(places.has(edgeOf(filter, "false", "format"))).toBe(false);
    expect(places.has(edgeOf(filter, "true", "other"))).toBe(false);
  });
  it("is on an edge that came later what went over it since, and on its kin what did before", () => {
    const filter = node("filter", "isRoaming");
    const later = figures(400, { edges: [{ from: "isRoaming", stream: "true", to: "fraud", before: 60 }] });
    const total = (stream: string | null, to: string) => ofEdge(filter, stream, to)(later);
    expect([total("true", "fraud"), total(null, "fraud")]).toEqual([40, 40]);
    expect([total("true", "format"), total("false", "fraud")]).toEqual([100, 300]);
  });
  it("is what a formatter made", () =>
    expect(flowing([], figures(400), ofStream(node("formatter", "format"), null))?.total).toBe(400));
});

it("a queue that is longer than some seconds ago grows", () => {
  const waiting = (files: number) =>
    figures(0, { elements: { x: { files: 0, records: 0, waiting: files, octets: 0, outcomes: NOTHING } } });
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
  it("give rates that are means of some seconds, and nothing some seconds after nothing comes any more", () => {
    let live: Live = start;
    const rates = Array.from({ length: 40 }, (_, second) => {
      const files = Math.floor(Math.min(second, 21) / 3);
      const seconds = 1 + (second % 2 === 0 ? 0.01 : -0.01);
      const at = new Date(Date.UTC(2026, 10, 21, 14, 5, second)).toISOString();
      live = after(live, "figures", figures(3_000 * files, { at, seconds }));
      return flowing(live.before, live.now, ofNode("msc"))!;
    });
    expect(rates[0]).toEqual({ rate: null, total: 0 });
    expect(rates[3]!.rate).toBeCloseTo(1_000, -2);
    for (const { rate } of rates.slice(9, 22)) expect(rate).toBeCloseTo(1_000, -2);
    expect(rates.slice(31).every(({ rate, total }) => rate === 0 && total === 21_000)).toBe(true);
  });
  it("of long ago are the beginning of a rate alone where there are no others", () => {
    const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 14, 5, second)).toISOString();
    const [first, second, third] = [0, 50, 51].map((each) => figures(each, { at: at(each), seconds: 1 }));
    expect(recent([first!], second!)).toEqual([first]);
    expect(recent([first!, second!], third!)).toEqual([second]);
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

it("the fake's figures add up on the way", () => {
  const gateway = world("example");
  for (let second = 1; second < 5; second += 1) tick(gateway, second);
  const { elements, nodes, systems } = gateway.figures;
  const sent = elements["msc-boston"]!.records + elements["msc-new-york"]!.records;
  expect(nodes.isBillable!.records).toBe(sent);
  expect(Object.values(systems).reduce((sum, system) => sum + system.records, 0)).toBe(sent);
  expect(filesWaiting(gateway.figures)).toBeGreaterThan(0);
  expect(Object.keys(nodes)).toEqual(
    graphOf(FLOW)
      .nodes.filter((each) => each.name in nodes)
      .map((each) => each.name),
  );
});
