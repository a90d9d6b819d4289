import { expect, it } from "vitest";

import { periodOf } from "../../src/parts/period";

const NOW = Date.parse("2026-11-21T14:05:07.9Z");

const bounds = (query: string) => {
  const { from, to } = periodOf(new URLSearchParams(query)).bounds(NOW);
  return [from, to];
};

it("without a period all times are meant", () => {
  expect(bounds("")).toEqual(["", ""]);
  expect(periodOf(new URLSearchParams("sort=who")).isChosen).toBe(false);
});

it("a period of days has today in it, and one of hours ends now", () => {
  expect(bounds("days=1")).toEqual(["2026-11-21", ""]);
  expect(bounds("days=7")).toEqual(["2026-11-15", ""]);
  expect(bounds("hours=1")).toEqual(["2026-11-21T13:05:07Z", ""]);
  expect(periodOf(new URLSearchParams("hours=1")).isChosen).toBe(true);
});

it("own times are in UTC, and come before hours and days", () => {
  expect(bounds("from=2026-11-20T08:30&days=7")).toEqual(["2026-11-20T08:30:00Z", ""]);
  expect(bounds("from=2026-11-20&to=2026-11-21T09:00:30")).toEqual(["2026-11-20", "2026-11-21T09:00:30Z"]);
});

it("what is no time is no bound", () => {
  expect(bounds("from=yesterday&to=2026")).toEqual(["", ""]);
  expect(bounds("days=-1")).toEqual(["", ""]);
  expect(bounds("hours=9e9")).toEqual(["", ""]);
});

it("nothing is added to a period that has ended", () => {
  const isPast = (query: string) => periodOf(new URLSearchParams(query)).isPast(NOW);
  expect(isPast("to=2026-11-21")).toBe(true);
  expect([isPast(""), isPast("days=1"), isPast("to=2026-11-22")]).toEqual([false, false, false]);
});
