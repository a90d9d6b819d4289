import { describe, expect, it } from "vitest";

import type { Edit, Flow } from "../../src/api/types";
import { begin, current, inWords, isChanged, isUnsaved, push, redo, undo } from "../../src/graph/editing";
import { formLines, meant, readAs, written } from "../../src/graph/settings";
import { FLOW } from "../fake/example";
import { edited, graphOf, look } from "../fake/flow-file";
import { KINDS } from "../fake/kinds";

const empty = { graph: { nodes: [] }, diagnostics: [], diagnostics_left_out: 0 };
const flow: Flow = { ...empty, text: "0", digest: "d0", name: "test", kinds: [] };
const step = (text: string) => ({ ...empty, text, what: text });

describe("changes", () => {
  it("can be taken back and done again", () => {
    const two = push(push(begin(flow), step("1")), step("2"));
    expect(current(undo(two)).text).toBe("1");
    expect(current(undo(undo(undo(two)))).text).toBe("0");
    expect(current(redo(undo(two))).text).toBe("2");
    expect(current(redo(two)).text).toBe("2");
  });
  it("that were taken back are gone with the next", () => {
    const other = push(undo(push(begin(flow), step("1"))), step("3"));
    expect(other.steps.map((each) => each.text)).toEqual(["0", "3"]);
  });
  it("that change nothing are none", () => expect(push(begin(flow), step("0")).steps).toHaveLength(1));
  it("are bounded", () => {
    let editing = begin(flow);
    for (let turn = 1; turn <= 500; turn += 1) editing = push(editing, step(String(turn)));
    expect([editing.steps.length, current(editing).text]).toEqual([200, "500"]);
  });
  it("are told of until they are saved or taken back", () => {
    const one = push(begin(flow), step("1"));
    expect([isChanged(one), isUnsaved(one)]).toEqual([true, true]);
    expect(isUnsaved({ ...one, saved: { version: 1, text: "1", remark: "" } })).toBe(false);
    expect(isChanged(undo(one))).toBe(false);
  });
  it("have words", () => expect(inWords({ do: "connect", from: "a.true", to: "b" })).toBe("connecting a.true to b"));
});

describe("the settings of a node", () => {
  const home = graphOf(FLOW).nodes.find((node) => node.name === "home-billing")!;
  const kind = KINDS.find((each) => each.kind === "post-processing-system");
  it("are those of its kind, in their order, with their values", () => {
    expect(formLines(home, kind).map((line) => [line.key, written(line.value)])).toEqual([
      ["encode.type", "Billing.HomeRecord"],
      ["encode.codec", ""],
      ["deliver.dir", "out/home"],
      ["deliver.name", "{network-element}-{stem}.ber"],
      ["deliver.limit", ""],
      ["deliver.order", ""],
    ]);
  });
  it("are shown where the kind does not know them", () => {
    const lines = formLines({ settings: { ...home.settings, later: ["a", "b"] } }, kind);
    expect(lines.at(-1)).toMatchObject({ key: "later", sort: "list" });
  });
  it("are the same where the gateway gives them with dots", () => {
    expect(
      formLines({ settings: { "deliver.dir": "out" } }, kind).find((line) => line.key === "deliver.dir")?.value,
    ).toBe("out");
  });
  it("of a table with any keys are those it has", () => {
    const element = KINDS.find((each) => each.kind === "network-element");
    const lines = formLines({ settings: { audit: { seconds: "record.callDuration" } } }, element);
    expect(lines.filter((line) => line.key.startsWith("audit")).map((line) => line.key)).toEqual(["audit.seconds"]);
  });
  it("that are tables are shown by what is in them, also where the kind says text", () => {
    const plain = {
      kind: "matching",
      streams: null,
      settings: [
        { key: "wait", sort: "text" as const, required: false, help: "" },
        { key: "key", sort: "text" as const, required: false, help: "" },
      ],
    };
    expect(
      formLines({ settings: { wait: { arrival: "3 days" }, key: ["a", "b"] } }, plain).map((line) => [
        line.key,
        line.sort,
      ]),
    ).toEqual([
      ["wait.arrival", "text"],
      ["key", "list"],
    ]);
  });
  it("that are written without a sort are what they look like", () => {
    expect(["true", "50_000", "3 days", "-1", "Infinity"].map(meant)).toEqual([true, 50_000, "3 days", -1, "Infinity"]);
  });
  it("are read by their sort", () => {
    expect(readAs("number", "50_000")).toEqual({ value: 50_000 });
    expect(readAs("number", "many")).toEqual({ problem: '"many" is no number' });
    expect(readAs("list", "a\n b \n\n")).toEqual({ value: ["a", "b"] });
    expect(readAs("truth", "true")).toEqual({ value: true });
    expect(readAs("text", " ")).toEqual({ value: undefined });
  });
});

describe("the fake's edits keep comments and order", () => {
  const lines = (edits: Edit[]) => {
    const after = edited(FLOW, edits).split("\n");
    const before = FLOW.split("\n");
    return {
      added: after.filter((line) => !before.includes(line)),
      removed: before.filter((line) => !after.includes(line)),
    };
  };
  it("connecting", () => {
    expect(lines([{ do: "connect", from: "isBillable.false", to: "home-v5" }])).toEqual({
      added: ['from   = ["isRoaming.false", "isBillable.false"]'],
      removed: ['from   = "isRoaming.false"'],
    });
  });
  it("renaming, wherever the name stands", () => {
    expect(lines([{ do: "rename", name: "isBillable", to: "isPaid" }]).added).toEqual([
      "[filter.isPaid]",
      'from   = "isPaid"',
      'from   = "isPaid.false"',
    ]);
  });
  it("setting", () => {
    expect(lines([{ do: "set", name: "statistics", key: "encode.codec", value: "json" }]).added).toEqual([
      'encode  = { type = "Billing.UnbilledCall", codec = "json" }',
    ]);
  });
  it("what is added is checked", () => {
    const text = edited(FLOW, [{ do: "add", kind: "filter", name: "late", settings: {}, from: ["isBillable"] }]);
    expect(look(text).diagnostics.map((each) => each.message)).toEqual([
      '"late" has no "script"',
      'nothing takes "late"',
    ]);
  });
  it("removing leaves the rest", () => {
    expect(
      look(edited(FLOW, [{ do: "remove", name: "statistics" }])).graph.nodes.map((node) => node.name),
    ).not.toContain("statistics");
  });
});
