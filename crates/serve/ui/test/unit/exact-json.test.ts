import { describe, expect, it } from "vitest";

import { ExactNumber, JsonMistake, Members, parse, place, plain, print, replaced } from "../../src/api/exact-json";
import { mistakeIn } from "../../src/suspense/record-form";

describe("JSON keeps", () => {
  for (const text of [
    "9007199254740993123",
    "-0.10",
    "1E+400",
    '{"b":1,"a":2,"10":3,"9":4}',
    '[true,false,null,"",{},[]]',
    '"aå\\n\\"\\\\"',
  ]) {
    it(text, () => expect(print(parse(text))).toBe(text));
  }
});

describe("no JSON is", () => {
  for (const text of [
    "",
    "{",
    "[1,]",
    "01",
    "1.",
    "+1",
    "tru",
    '"a',
    '{"a" 1}',
    "{a:1}",
    "1 2",
    "'a'",
    '"\n"',
    "NaN",
  ]) {
    it(JSON.stringify(text), () => expect(() => parse(text)).toThrow(JsonMistake));
  }
  it("what is nested without end", () => expect(() => parse("[".repeat(100_000))).toThrow("nested too deeply"));
});

it("a text may be large", () => {
  const text = JSON.stringify('å"\\'.repeat(2_000_000));
  expect(print(parse(text)) === text).toBe(true);
});

it("it agrees with JavaScript's on what both can say", () => {
  const value = { a: [1, 2.5, -3e-7, { b: null, c: "å\u2028\t" }], d: {}, e: [], f: true };
  for (const text of [
    JSON.stringify(value),
    JSON.stringify(value, null, 2),
    print(parse(JSON.stringify(value)), true),
  ]) {
    expect(plain(parse(text))).toEqual(value);
  }
});

it("whole numbers that JavaScript has no room for become large ones", () => {
  expect(plain(parse("[9007199254740991,9007199254740993,0.5]"))).toEqual([
    9_007_199_254_740_991,
    9_007_199_254_740_993n,
    0.5,
  ]);
});

it("one value is replaced, and nothing else", () => {
  const value = parse('{"a":[{"b":1},2],"c":3}');
  expect(print(replaced(value, ["a", 0, "b"], new ExactNumber("18446744073709551616")))).toBe(
    '{"a":[{"b":18446744073709551616},2],"c":3}',
  );
  expect(print(value)).toBe('{"a":[{"b":1},2],"c":3}');
  expect(value).toBeInstanceOf(Members);
});

it("a mistake has a place", () => expect(place("{\n  x", 4)).toBe("line 2, column 3"));

it("a field without a number where one belongs is a mistake", () => {
  expect(mistakeIn(replaced(parse('{"a":[{"b":1}]}'), ["a", 0, "b"], new ExactNumber("many")))).toBe(
    '"many" in a[0].b is no number.',
  );
  expect(mistakeIn(parse('{"a":[{"b":1}],"c":"many"}'))).toBeNull();
});
