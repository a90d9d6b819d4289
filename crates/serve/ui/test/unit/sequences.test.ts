import { expect, it } from "vitest";

import type { SequenceLine } from "../../src/api/types.ts";
import { countedOf, numbersOf } from "../../src/audit/accept-dialog.tsx";
import { keyOf } from "../../src/audit/sequences.tsx";

const line = (first: number | bigint | null, last: number | bigint | null, series = ""): SequenceLine => ({
  network_element: "msc-boston",
  of: "record",
  series,
  what: "missing",
  first,
  last,
  count: 1,
  at: null,
  until: null,
  file: null,
  note: null,
});

it("a gap's numbers are written as the gateway takes them, whatever their size", () => {
  expect(numbersOf(line(17, 19))).toBe("17-19");
  expect(numbersOf(line(17, 17))).toBe("17");
  // The counter wrapped around.
  expect(numbersOf(line(99_998, 2))).toBe("99998-2");
  expect(numbersOf(line(9_007_199_254_740_993n, 9_007_199_254_740_995n))).toBe("9007199254740993-9007199254740995");
  expect(numbersOf(line(null, null))).toBe("");
});

it("lines are told apart, whatever their size", () => {
  const of = (first: bigint) => keyOf(line(first, first));
  expect(of(9_007_199_254_740_993n)).not.toBe(of(9_007_199_254_740_995n));
});

it("what is counted has its series beside it", () => {
  expect(countedOf(line(1, 2))).toBe("records");
  expect(countedOf(line(1, 2, "node 7"))).toBe("records, node 7");
});
