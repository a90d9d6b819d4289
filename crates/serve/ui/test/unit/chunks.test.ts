/** How many lines are said to be added and removed. */
import { Chunk } from "@codemirror/merge";
import { Text } from "@codemirror/state";
import { expect, it } from "vitest";

import { countsOf } from "../../src/graph/chunks";
import { asCompared } from "../../src/scripts/line-ends";

/** Returns lines added and lines removed. */
function check(before: string, after: string): [number, number] {
  const [one, other] = [before, after].map((text) => Text.of(asCompared(text).split("\n")));
  const { added, removed } = countsOf(Chunk.build(one!, other!), one!, other!);
  return [added, removed];
}

it("the same has no changed lines, however its lines end", () => {
  expect(check("", "")).toEqual([0, 0]);
  expect(check("a\nb\n", "a\nb\n")).toEqual([0, 0]);
  expect(check("a\r\nb", "a\nb\n")).toEqual([0, 0]);
});
it("a line is added, in between, as the first, and as the last", () => {
  expect(check("a\nc\n", "a\nb\nc\n")).toEqual([1, 0]);
  expect(check("b\n", "a\nb\n")).toEqual([1, 0]);
  expect(check("a\n", "a\nb")).toEqual([1, 0]);
  expect(check("", "a\n")).toEqual([1, 0]);
});
it("a line is removed", () => {
  expect(check("a\nb\nc\n", "a\nc\n")).toEqual([0, 1]);
  expect(check("a\nb", "a")).toEqual([0, 1]);
  expect(check("a", "")).toEqual([0, 1]);
});
it("a changed line is removed and added", () => {
  expect(check("a\nb\nc\n", "a\nx\nc\n")).toEqual([1, 1]);
  expect(check("first\nprice = 10\n", "first\nprice = 20")).toEqual([1, 1]);
});
it("a section that is like its neighbour is added whole", () => {
  const section = (name: string) => `[receiver.${name}]\nfrom = "isRoaming.true"\nencode.type = "Record"\n\n`;
  expect(check(section("a") + section("c"), section("a") + section("b") + section("c"))).toEqual([4, 0]);
});
