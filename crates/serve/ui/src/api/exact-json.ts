/**
 * JSON whose numbers keep their digits and whose members keep their order (RFC 8259). JavaScript's own parser reads the
 * call reference 9007199254740993 as 9007199254740992, and a correction would store that.
 */

/** A number, as its text. */
export class ExactNumber {
  constructor(readonly text: string) {}
}

/** The members of an object, in their order. */
export class Members {
  constructor(readonly entries: readonly (readonly [string, Exact])[]) {}

  get(name: string): Exact | undefined {
    return this.entries.find(([key]) => key === name)?.[1];
  }
}

export type Exact = string | boolean | null | ExactNumber | Members | readonly Exact[];

export class JsonMistake extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** Deeper than any record. It keeps a text from exhausting the stack. */
const DEPTH_MAX = 500;

const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;

export const isNumber = (text: string) => new RegExp(`^${NUMBER.source}$`).test(text);

export function parse(text: string): Exact {
  let at = 0;

  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  const skip = () => void take(SPACE);
  const expect = (sign: string) => {
    skip();
    if (text[at] !== sign) throw new JsonMistake(`"${sign}" is expected`, at);
    at += 1;
  };
  const isNext = (sign: string) => {
    skip();
    if (text[at] !== sign) return false;
    at += 1;
    return true;
  };
  const string = (): string => {
    skip();
    const start = at;
    if (text[at] !== '"') throw new JsonMistake("a text in quotes is expected", at);
    do at += text[at] === "\\" ? 2 : 1;
    while (at < text.length && text[at] !== '"');
    at += 1;
    try {
      return JSON.parse(text.slice(start, at)) as string;
    } catch {
      throw new JsonMistake("the text in quotes that begins here is none", start);
    }
  };
  const list = <T>(end: string, one: () => T): T[] => {
    const found: T[] = [];
    if (isNext(end)) return found;
    do found.push(one());
    while (isNext(","));
    expect(end);
    return found;
  };
  const value = (depth: number): Exact => {
    if (depth > DEPTH_MAX) throw new JsonMistake("it is nested too deeply", at);
    skip();
    if (text[at] === '"') return string();
    if (isNext("{")) {
      return new Members(
        list("}", () => {
          const name = string();
          expect(":");
          return [name, value(depth + 1)] as const;
        }),
      );
    }
    if (isNext("[")) return list("]", () => value(depth + 1));
    for (const [word, meaning] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ] as const) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return meaning;
      }
    }
    const number = take(NUMBER);
    if (number === null) throw new JsonMistake("a value is expected", at);
    return new ExactNumber(number);
  };

  const found = value(0);
  skip();
  if (at < text.length) throw new JsonMistake("nothing is expected behind the value", at);
  return found;
}

/** Prints a value: with two spaces for each level if `isPretty`, else on one line. */
export function print(value: Exact, isPretty = false, indent = ""): string {
  if (value instanceof ExactNumber) return value.text;
  const isList = Array.isArray(value);
  if (!isList && !(value instanceof Members)) return JSON.stringify(value);
  const inner = `${indent}  `;
  const parts = isList
    ? (value as readonly Exact[]).map((each) => print(each, isPretty, inner))
    : (value as Members).entries.map(
        ([name, each]) => `${JSON.stringify(name)}:${isPretty ? " " : ""}${print(each, isPretty, inner)}`,
      );
  const [open, close] = isList ? "[]" : "{}";
  if (parts.length === 0) return `${open}${close}`;
  return isPretty
    ? `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`
    : `${open}${parts.join(",")}${close}`;
}

export type Plain = string | boolean | null | number | bigint | Plain[] | { [name: string]: Plain };

/** What `plain` makes of a value of a type: each integer may be beyond the safe range. */
export type Wide<T> = T extends number ? number | bigint : T extends object ? { [K in keyof T]: Wide<T[K]> } : T;

/** Converts to JavaScript's types. Integers beyond the safe range become `bigint`. */
export function plain(value: Exact): Plain {
  if (value instanceof ExactNumber) {
    const number = Number(value.text);
    return Number.isSafeInteger(number) || !/^-?\d+$/.test(value.text) ? number : BigInt(value.text);
  }
  if (value instanceof Members) return Object.fromEntries(value.entries.map(([name, each]) => [name, plain(each)]));
  return Array.isArray(value) ? (value as readonly Exact[]).map(plain) : (value as string | boolean | null);
}

/** The place of a part within a value: names of members and indexes of lists. */
export type Path = readonly (string | number)[];

/** Returns the value with the part at a path replaced. */
export function replaced(value: Exact, path: Path, other: Exact): Exact {
  const [step, ...rest] = path;
  if (step === undefined) return other;
  if (value instanceof Members) {
    return new Members(
      value.entries.map(([name, each]) => [name, name === step ? replaced(each, rest, other) : each] as const),
    );
  }
  if (Array.isArray(value))
    return (value as readonly Exact[]).map((each, place) => (place === step ? replaced(each, rest, other) : each));
  return value;
}

/** Returns the line and column of an offset, for messages. */
export function place(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
