/** The files of rules: which one a rule is, and how a new one begins. */
import { describe, expect, it } from "vitest";

import type { Graph, GraphNode } from "../../src/api/types";
import { beginningOf, fileOfRule, isRuleFile, isRuleName, kindOf, newRuleFile } from "../../src/fraud/rule-files";

const node = (name: string, settings: GraphNode["settings"]): GraphNode => ({
  name,
  kind: "fraud",
  table: `fraud.${name}`,
  from: [],
  streams: [],
  settings,
  script: null,
  line: 1,
});

const GRAPH: Graph = {
  nodes: [
    node("calls", { rules: "rules/calls", subjects: ["caller = record.caller", "pair = record.pair"] }),
    node("texts", { rules: "rules/texts/", subjects: "sender = record.sender" }),
  ],
};

const files = ["rules/calls/many.toml", "rules/texts/many.toml", "rules/texts/too-many.toml"].map((file) => ({
  file,
  digest: "",
}));

describe("the file of a rule", () => {
  it.each([
    ["calls", "many", "rules/calls/many.toml"],
    ["texts", "many", "rules/texts/many.toml"],
    ["texts", "too-many", "rules/texts/too-many.toml"],
    ["gone", "too-many", "rules/texts/too-many.toml"],
    ["calls", "gone", null],
  ])("of %s and %s is %s", (node, rule, file) => {
    expect(fileOfRule(files, { node, rule }, GRAPH)).toBe(file);
  });

  it.each([
    ["rules/calls/new.toml", true],
    ["rules/texts/limits.csv", true],
    ["rules/calls/deep/new.toml", false],
    ["scripts/new.dup", false],
    ["new.toml", false],
  ])("%s is in a folder of rules: %s", (file, is) => {
    expect(isRuleFile(["rules/calls", "rules/texts/"], file)).toBe(is);
  });
});

describe("a file of rules", () => {
  it.each([
    ["rules/wangiri.toml", "rule"],
    ["rules/limits.csv", "table"],
    ["rules/callback.dup", "script"],
    ["rules/README", "table"],
  ])("%s is a %s", (file, kind) => {
    expect(kindOf(file)).toBe(kind);
  });
});

describe("a new file", () => {
  it("is in its folder", () => {
    expect(newRuleFile("rules/texts/", "new", ".csv")).toBe("rules/texts/new.csv");
  });

  it.each([
    ["wangiri-2", true],
    ["2_in_a_row", true],
    ["", false],
    [".hidden", false],
    ["a/b", false],
    ["a b", false],
  ])("may be named %s: %s", (name, may) => {
    expect(isRuleName(name)).toBe(may);
  });

  it("is about the first subject of its node, and only tried out", () => {
    expect(beginningOf(".toml", "rules/texts/", GRAPH)).toContain('about = "sender"\n');
    expect(beginningOf(".toml", "rules/calls", GRAPH)).toContain('about = "caller"\n');
    expect(beginningOf(".toml", "rules/calls", null)).toContain('mode = "shadow"\n');
  });
});
