/** The content that a record can have by its types: what the form offers, and the initial values. */
import { type Exact, ExactNumber, Members } from "../api/exact-json";
import type { RecordField, RecordType } from "../api/types";

/** The types of a record, its own first. They refer to each other by index. */
export type Types = readonly RecordType[];

/** The most levels of required values in a new value. */
const DEPTH_MAX = 16;

export const isList = (value: Exact): value is readonly Exact[] => Array.isArray(value);

export const typeAt = (types: Types, place: RecordField["type"] | undefined): RecordType | null =>
  types[place ?? -1] ?? null;

export const fieldOf = (type: RecordType | null, name: string): RecordField | null =>
  type?.fields?.find((field) => field.name === name) ?? null;

/** Returns the type if the value fits it, else null. */
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

/** Returns a new value with only the required content. A number is empty until the user writes it. */
export function begun(types: Types, place: RecordField["type"], depth = 0): Exact {
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

/** Returns a choice of this alternative. */
export const chosen = (types: Types, field: RecordField | null, depth = 0) =>
  new Members(field === null ? [] : [[field.name, begun(types, field.type, depth + 1)]]);

/** Returns whether the form can create a value of a type. */
const canBegin = (types: Types, place: RecordField["type"] | undefined) =>
  (typeAt(types, place)?.kind ?? "other") !== "other";

/** Returns the missing fields of a structure that can be added. */
export const missing = (types: Types, type: RecordType | null, members: Members): RecordField[] =>
  type?.kind !== "structure"
    ? []
    : (type.fields ?? []).filter((field) => members.get(field.name) === undefined && canBegin(types, field.type));

/** Returns whether a list can have another element. */
export const canGrow = (types: Types, type: RecordType | null) => type?.kind === "list" && canBegin(types, type.of);

/** Returns the structure with one more field, in the order of its type. */
export function withField(members: Members, type: RecordType, name: string, value: Exact): Members {
  const places = new Map((type.fields ?? []).map((field, place) => [field.name, place]));
  const place = places.get(name) ?? Infinity;
  const before = members.entries.filter(([other]) => (places.get(other) ?? -1) < place);
  const behind = members.entries.filter(([other]) => (places.get(other) ?? -1) > place);
  return new Members([...before, [name, value], ...behind]);
}

export const without = (members: Members, name: string) =>
  new Members(members.entries.filter(([other]) => other !== name));

/**
 * The digits of telephone numbers, by value. 15 fills the last octet of an odd number (3GPP TS 29.002, TBCD-STRING).
 */
const DIGITS = "0123456789*#abc";

/** Removes everything that is no digit, such as the plus sign and spaces. */
export const digitsOf = (written: string) =>
  [...written.toLowerCase()].filter((sign) => DIGITS.includes(sign)).join("");

/** Packs digits in octets, two in each, the first in the lower half. */
export function packed(digits: string): string {
  const halves = [...digits].map((digit) => DIGITS.indexOf(digit).toString(16));
  if (halves.length % 2 === 1) halves.push("f");
  return halves.map((_, place) => halves[place % 2 === 0 ? place + 1 : place - 1]!).join("");
}

/** Returns the digits of octets, or null if the octets contain anything else, which an edit would lose. */
export function unpacked(hex: string): string | null {
  const pairs = hex.toLowerCase().match(/../g) ?? [];
  const halves = pairs.flatMap((pair) => [pair[1]!, pair[0]!]);
  const digits = halves.map((half) => DIGITS[Number.parseInt(half, 16)] ?? "").join("");
  return packed(digits) === hex.toLowerCase() ? digits : null;
}
