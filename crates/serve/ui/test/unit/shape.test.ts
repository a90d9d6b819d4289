import { expect, it } from "vitest";

import { Members, parse, print } from "../../src/api/exact-json";
import {
  begun,
  chosen,
  digitsOf,
  fitting,
  missing,
  packed,
  unpacked,
  withField,
  without,
} from "../../src/suspense/shape";
import { CALL_TYPES } from "../fake/records";

const members = (text: string) => parse(text) as Members;

it("digits are those that octets hold, and octets with anything else in them stay octets", () => {
  for (const digits of ["", "1", "12", "4670123456", "*#abc"]) expect(unpacked(packed(digits))).toBe(digits);
  expect(packed("24001")).toBe("4200f1");
  expect(unpacked("4200F1")).toBe("24001");
  for (const octets of ["f1f2", "ff", "123", "1x"]) expect(unpacked(octets), octets).toBe(null);
  expect(digitsOf("+46 (70) 123-456")).toBe("4670123456");
});

it("what is missing and may be added goes where its type has it", () => {
  const call = members('{"recordType":2,"callDuration":61,"?":1}');
  const type = CALL_TYPES[0]!;
  expect(missing(CALL_TYPES, type, call).map((field) => field.name)).toContain("servedIMSI");
  expect(missing(CALL_TYPES, type, call).map((field) => field.name)).not.toContain("callDuration");
  const more = withField(call, type, "answerTime", "now");
  expect(print(more)).toBe('{"recordType":2,"?":1,"answerTime":"now","callDuration":61}');
  expect(print(without(more, "recordType"))).toBe('{"?":1,"answerTime":"now","callDuration":61}');
});

it("a new value has what it must have, and no more", () => {
  const begin = (name: string) =>
    print(
      begun(
        CALL_TYPES,
        CALL_TYPES.findIndex((type) => type.name === name),
      ),
    );
  expect(begin("MSC.Service")).toBe('{"code":}');
  expect(begin("SEQUENCE OF MSC.Service")).toBe("[]");
  expect(begin("MSC.Details")).toBe("{}");
  expect(begin("MSC.ChargedParty")).toBe('"calling"');
  expect(begin("MSC.Partner")).toBe('{"network":""}');
  expect(print(chosen(CALL_TYPES, CALL_TYPES[12]!.fields![1]!))).toBe('{"name":""}');
  // A recursive type ends at the depth limit.
  const endless = [{ name: "A", kind: "choice" as const, fields: [{ name: "a", type: 0, optional: false }] }];
  expect(print(begun(endless, 0)).length).toBeLessThan(200);
});

it("what is not as its type says is none of it", () => {
  const fits = (text: string, place: number) => fitting(parse(text), CALL_TYPES[place]!) !== null;
  expect([fits("1", 1), fits('"1"', 1), fits('"a"', 6), fits("7", 6), fits("null", 11), fits("{}", 11)]).toEqual([
    true,
    false,
    true,
    true,
    true,
    false,
  ]);
  expect([fits('{"name":""}', 12), fits('{"other":""}', 12), fits("{}", 12)]).toEqual([true, false, false]);
});
