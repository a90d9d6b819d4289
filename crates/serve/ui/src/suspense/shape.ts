/** What may be said in a record, by the types that the gateway knows of it: what a form offers, and what it begins with. */
import { type Exact, ExactNumber, Members } from "../api/exact-json";
import type { RecordField, RecordType } from "../api/types";

/** The types of a record, its own first; they name each other by their places. */
export type Types = readonly RecordType[];

/** Values within each other that are begun with what they must have. */
const DEPTH_MAX = 16;

export const isList = (value: Exact): value is readonly Exact[] => Array.isArray(value);

export const typeAt = (types: Types, place: number | null | undefined): RecordType | null => types[place ?? -1] ?? null;

export const fieldOf = (type: RecordType | null, name: string): RecordField | null =>
  type?.fields?.find((field) => field.name === name) ?? null;

/** The type, if the value is written as those of it are; what is not is drawn as it stands there. */
export function fitting(value: Exact, type: RecordType | null): RecordType | null {
  return type !== null && FITS[type.kind](value, type) ? type : null;
}

const isText = (value: Exact) => typeof value === "string";
const isNumber = (value: Exact) => value instanceof ExactNumber;
const isMembers = (value: Exact) => value instanceof Members;

const FITS: Record<RecordType["kind"], (value: Exact, type: RecordType) => boolean> = {
  boolean: (value) => typeof value === "boolean",
  integer: isNumber,
  enumerated: (value) => isText(value) || isNumber(value),
  real: (value) => isText(value) || isNumber(value),
  null: (value) => value === null,
  octets: isText,
  digits: isText,
  "packed-digits": isText,
  text: isText,
  bits: isMembers,
  structure: isMembers,
  choice: (value, type) =>
    value instanceof Members && value.entries.length === 1 && fieldOf(type, value.entries[0]![0]) !== null,
  list: isList,
  other: () => false,
};

/** A new value: what it must have, each as little as it can be. A number is nothing until somebody writes it. */
export function begun(types: Types, place: number | null, depth = 0): Exact {
  const type = typeAt(types, place);
  switch (type?.kind) {
    case "boolean":
      return false;
    case "integer":
    case "real":
      return new ExactNumber("");
    case "enumerated":
      return type.words?.[0] ?? new ExactNumber("");
    case "null":
      return null;
    case "bits":
      return new Members([
        ["value", ""],
        ["length", new ExactNumber("0")],
      ]);
    case "list":
      return [];
    case "structure": {
      const needed = depth < DEPTH_MAX ? (type.fields ?? []).filter((field) => !field.optional) : [];
      return new Members(needed.map((field) => [field.name, begun(types, field.type, depth + 1)] as const));
    }
    case "choice": {
      const [first] = depth < DEPTH_MAX ? (type.fields ?? []) : [];
      return chosen(types, first ?? null, depth);
    }
    default:
      return "";
  }
}

/** A choice of this alternative. */
export const chosen = (types: Types, field: RecordField | null, depth = 0) =>
  new Members(field === null ? [] : [[field.name, begun(types, field.type, depth + 1)]]);

/** Whether a form can begin a value of it. */
const canBegin = (types: Types, place: number | null) => (typeAt(types, place)?.kind ?? "other") !== "other";

/** The fields of a structure that are not there, and can be added. */
export const missing = (types: Types, type: RecordType | null, members: Members): RecordField[] =>
  type?.kind !== "structure"
    ? []
    : (type.fields ?? []).filter((field) => members.get(field.name) === undefined && canBegin(types, field.type));

/** Whether a list can have one more. */
export const canGrow = (types: Types, type: RecordType | null) =>
  type?.kind === "list" && canBegin(types, type.of ?? null);

/** The structure with one more field, in the order of its type. */
export function withField(members: Members, type: RecordType, name: string, value: Exact): Members {
  const places = new Map((type.fields ?? []).map((field, place) => [field.name, place]));
  const place = places.get(name) ?? Infinity;
  const before = members.entries.filter(([other]) => (places.get(other) ?? -1) < place);
  const behind = members.entries.filter(([other]) => (places.get(other) ?? -1) > place);
  return new Members([...before, [name, value], ...behind]);
}

export const without = (members: Members, name: string) =>
  new Members(members.entries.filter(([other]) => other !== name));

/** Telephone digits by their numbers; a half of 15 fills up the last octet (3GPP TS 29.002, TBCD-STRING). */
const DIGITS = "0123456789*#abc";

/** What cannot be a digit is left out, as the signs and the room that people write in numbers. */
export const digitsOf = (written: string) =>
  [...written.toLowerCase()].filter((sign) => DIGITS.includes(sign)).join("");

/** Digits as octets, two in each, the first in the lower half. */
export function packed(digits: string): string {
  const halves = [...digits].map((digit) => DIGITS.indexOf(digit).toString(16));
  if (halves.length % 2 === 1) halves.push("f");
  return halves.map((_, place) => halves[place % 2 === 0 ? place + 1 : place - 1]!).join("");
}

/** The digits in octets; none where these have something else in them, which must not be lost. */
export function unpacked(hex: string): string | null {
  const pairs = hex.toLowerCase().match(/../g) ?? [];
  const halves = pairs.flatMap((pair) => [pair[1]!, pair[0]!]);
  const digits = halves.map((half) => DIGITS[Number.parseInt(half, 16)] ?? "").join("");
  return packed(digits) === hex.toLowerCase() ? digits : null;
}
