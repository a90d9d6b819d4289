import { describe, expect, it } from "vitest";

import { ago, count, counted, moment, octets, perSecond, short } from "../../src/parts/numbers";

describe("a short number", () => {
  for (const [value, words] of [
    [0, "0"],
    [0.4, "0.4"],
    [7, "7"],
    [999, "999"],
    [9_999, "9,999"],
    [10_000, "10.0k"],
    [123_456, "123k"],
    [999_499, "999k"],
    [999_999, "1.00M"],
    [1_020_000, "1.02M"],
    [45_600_000_000, "45.6G"],
  ] as const) {
    it(`${value} is ${words}`, () => expect(short(value)).toBe(words));
  }
});

it("a rate that is not known is no zero", () => {
  expect(perSecond(null)).toBe("–");
  expect(perSecond(0)).toBe("0/s");
});
it("a sum of more than 53 bits keeps its digits", () =>
  expect(count(9_007_199_254_740_993n)).toBe("9,007,199,254,740,993"));
it("one is not many", () => expect([counted(1, "file"), counted(2, "file")]).toEqual(["1 file", "2 files"]));
it("octets have a unit", () =>
  expect([octets(999), octets(1_500), octets(2_000_000_000)]).toEqual(["999 B", "1.5 kB", "2.0 GB"]));
it("a moment is read without letters", () => expect(moment("2026-11-21T14:05:00Z")).toBe("2026-11-21 14:05:00"));
it("ago is rough", () => {
  const at = "2026-11-21T14:05:00Z";
  const now = Date.parse(at);
  expect([30, 600, 7_300, 90_000, 190_000].map((seconds) => ago(at, now + seconds * 1000))).toEqual([
    "just now",
    "10 min ago",
    "2 h ago",
    "1 day ago",
    "2 days ago",
  ]);
});
