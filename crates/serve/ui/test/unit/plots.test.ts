import { expect, it } from "vitest";

import { alone } from "../../src/plots/alone.ts";

it("a value without neighbours is a dot, and others are on a line", () => {
  expect(alone([1, null, 2, 3, null, null, 4, null])).toEqual([0, 6]);
  expect(alone([null, 5])).toEqual([1]);
  expect(alone([1, 2, 3])).toEqual([]);
  expect(alone([])).toEqual([]);
});
