import { expect, it } from "vitest";

import { everyDay } from "../../src/fraud/day-bars";

it("days without a value are there, and of many the last ones", () => {
  expect(everyDay([])).toEqual([]);
  expect(
    everyDay([
      { day: "2026-02-27", value: 3 },
      { day: "2026-03-01", value: 5 },
    ]),
  ).toEqual([
    { day: "2026-02-27", value: 3 },
    { day: "2026-02-28", value: 0 },
    { day: "2026-03-01", value: 5 },
  ]);
  const long = everyDay([
    { day: "2024-01-01", value: 1 },
    { day: "2026-03-01", value: 5 },
  ]);
  expect([long.length, long[0]?.day, long.at(-1)?.value]).toEqual([92, "2025-11-30", 5]);
});
