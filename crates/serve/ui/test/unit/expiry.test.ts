import { expect, it } from "vitest";

import { DAYS, DAYS_USUAL, expiry } from "../../src/people/expiry";

const NOW = Date.parse("2026-11-26T12:00:00Z");

it("says of a token when it expires, from two weeks before on", () => {
  for (const [until, mark, words] of [
    ["2026-11-26T11:59:59Z", "major", "expired"],
    ["2026-11-26T12:00:00Z", "major", "expired"],
    ["2026-11-26T12:00:01Z", "minor", "expires within a day"],
    ["2026-11-27T12:00:00Z", "minor", "expires in 1 day"],
    ["2026-12-09T12:00:00Z", "minor", "expires in 13 days"],
    ["2026-12-10T12:00:00Z", null, ""],
    ["2027-11-26T12:00:00Z", null, ""],
  ] as const) {
    expect(expiry(until, NOW), until).toEqual({ mark, words });
  }
});

it("offers what the gateway makes without being asked, and nothing longer than it allows", () => {
  expect(DAYS.map(([days]) => days)).toContain(DAYS_USUAL);
  expect(Math.max(...DAYS.map(([days]) => days))).toBe(366);
});
