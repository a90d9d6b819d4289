import { expect, it } from "vitest";

import { isOther, sides } from "../../src/scripts/sides.ts";

const became = (...records: string[]) => ({ stream: null, records, problem: null });

it("each field stands once, with what it says on each side", () => {
  const came = '{"a":1,"b":{"c":[9007199254740993,true]}}';
  expect(sides(came, became('{"a":2,"d":"x"}'), became('{"d":"y"}'))).toEqual([
    { field: "a", came: "1", now: "2", edited: null },
    { field: "b.c[0]", came: "9007199254740993", now: null, edited: null },
    { field: "b.c[1]", came: "true", now: null, edited: null },
    { field: "d", came: null, now: "x", edited: "y" },
  ]);
});

it("of several records each field says of which it is", () => {
  const fields = sides("", null, became('{"a":1}', '{"a":2}')).map(({ field, edited }) => [field, edited]);
  expect(fields).toEqual([
    ["record 1.a", "1"],
    ["record 2.a", "2"],
  ]);
});

it("what becomes of a record is another where anything of it is", () => {
  const stays = { stream: "true", records: [], problem: null };
  expect([isOther(null, stays), isOther(stays, { ...stays })]).toEqual([false, false]);
  expect([isOther(stays, { ...stays, stream: "false" }), isOther(became("{}"), became())]).toEqual([true, true]);
});
