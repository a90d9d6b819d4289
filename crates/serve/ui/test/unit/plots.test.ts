import { describe, expect, it } from "vitest";

import type { Alarm, Version } from "../../src/api/types.ts";
import { alone } from "../../src/plots/alone.ts";
import { marksIn, marksOf } from "../../src/plots/marks.ts";
import { moved, rangeOf, scaled, valuesIn, within } from "../../src/plots/range.ts";

it("a value without neighbours is a dot, and others are on a line", () => {
  expect(alone([1, null, 2, 3, null, null, 4, null])).toEqual([0, 6]);
  expect(alone([null, 5])).toEqual([1]);
  expect(alone([1, 2, 3])).toEqual([]);
  expect(alone([])).toEqual([]);
});

describe("a range of times", () => {
  const whole = { from: 1_000, to: 4_600 };

  it("is zoomed at its middle", () => {
    expect(scaled(whole, 1 / 2, whole)).toEqual({ from: 1_900, to: 3_700 });
    expect(scaled({ from: 1_900, to: 3_700 }, 2, whole)).toEqual(whole);
  });
  it("is no shorter than ten seconds", () =>
    expect(scaled({ from: 2_000, to: 2_012 }, 1 / 2, whole)).toEqual({ from: 2_001, to: 2_011 }));
  it("is moved, but not out of what is loaded", () => {
    expect(moved({ from: 2_000, to: 3_000 }, 1 / 2, whole)).toEqual({ from: 2_500, to: 3_500 });
    expect(moved({ from: 1_100, to: 2_100 }, -1 / 2, whole)).toEqual({ from: 1_000, to: 2_000 });
    expect(within({ from: 0, to: 9_000 }, whole)).toEqual(whole);
  });
  it("is read from an address", () => {
    expect(rangeOf("2000", "3000", whole)).toEqual({ from: 2_000, to: 3_000 });
    for (const [from, to] of [
      ["", ""],
      ["3000", "2000"],
      ["x", "3000"],
      ["10", "900"],
      ["5000", "6000"],
    ] as const)
      expect(rangeOf(from, to, whole), `${from} ${to}`).toBeNull();
  });
  it("has values", () => expect(valuesIn([1, 2, 3], ["a", "b", "c"], { from: 2, to: 3 })).toEqual(["b", "c"]));
});

it("marks are activations and alarms, the earliest first", () => {
  const versions = [
    { version: 3, remark: "prices", activated: [{ at: "1970-01-01T00:01:00Z", who: "otto" }] },
    { version: 2, remark: "", activated: [] },
  ] as unknown as Version[];
  const alarms = [
    { raised: "1970-01-01T00:00:30Z", cleared: null, kind: "rejects", subject: "msc", text: "many" },
  ] as unknown as Alarm[];
  const marks = marksOf(versions, alarms);
  expect(marks.map(({ at, text, href }) => [at, text, href])).toEqual([
    [30, "alarm rejects of msc: many", "/alarms"],
    [60, "version 3 activated by otto: prices", "/graph"],
  ]);
  expect(marksIn(marks, { from: 31, to: 60 }).length).toBe(1);
});
