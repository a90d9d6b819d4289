import { describe, expect, it } from "vitest";

import { counts, diff, parts, within } from "../../src/graph/diff";

/** Returns the rows with `-` and `+`, as `diff -u` prints them. */
function check(before: string, after: string): string {
  return diff(before, after)
    .flatMap(({ kind, before: one, after: other }) =>
      kind === "same"
        ? [` ${one!.text}`]
        : [...(one === null ? [] : [`-${one.text}`]), ...(other === null ? [] : [`+${other.text}`])],
    )
    .join("|");
}

const text = (letters: string) => letters.split("").join("\n") + (letters === "" ? "" : "\n");

describe("a difference", () => {
  it("of nothing is none", () => expect(diff("", "")).toEqual([]));
  it("of the same is the same", () => expect(check("a\nb\n", "a\nb\n")).toBe(" a| b"));
  it("has what was added", () => expect(check("a\nc\n", "a\nb\nc\n")).toBe(" a|+b| c"));
  it("has what was removed", () => expect(check("a\nb\nc\n", "a\nc\n")).toBe(" a|-b| c"));
  it("has changed lines side by side", () => expect(check("a\nb\nc\n", "a\nx\nc\n")).toBe(" a|-b|+x| c"));
  it("has lines for an empty text", () => expect(check("", "a\n")).toBe("+a"));
  it("does not care how lines end", () => {
    expect(check("a\r\nb\r\nc\r\n", "a\nx\nc\n")).toBe(" a|-b|+x| c");
    expect(check("a\r\nb", "a\r\nb\r\n")).toBe(" a| b");
  });
  it("does not care whether the last line ends", () => expect(check("a\nb", "a\nb\n")).toBe(" a| b"));
});

/** Returns the length of the longest common subsequence, by the usual table. */
function longest(one: string, other: string): number {
  const table = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
  for (let x = 1; x <= one.length; x += 1) {
    for (let y = 1; y <= other.length; y += 1) {
      table[x]![y] =
        one[x - 1] === other[y - 1] ? table[x - 1]![y - 1]! + 1 : Math.max(table[x - 1]![y]!, table[x]![y - 1]!);
    }
  }
  return table[one.length]![other.length]!;
}

it("any two texts come out of their difference, which is the shortest", () => {
  let seed = 4711;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  for (let turn = 0; turn < 500; turn += 1) {
    const [one, other] = [0, 0].map(() => Array.from({ length: random(12) }, () => "abcd"[random(4)]).join(""));
    const rows = diff(text(one!), text(other!));
    const side = (of: "before" | "after") => rows.flatMap((row) => row[of]?.text ?? []).join("");
    expect([side("before"), side("after")], `${one} ${other}`).toEqual([one, other]);
    expect(rows.filter((row) => row.kind === "same").length, `${one} ${other}`).toBe(longest(one!, other!));
    const numbers = rows.flatMap((row) => row.after?.line ?? []);
    expect(numbers).toEqual(numbers.map((_, place) => place + 1));
  }
});

it("texts with nothing in common, too many to compare, are one change", () => {
  const many = (of: string) => Array.from({ length: 2_000 }, (_, place) => `${of}${place}`).join("\n");
  expect(counts(diff(many("a"), many("b")))).toEqual({ added: 2_000, removed: 2_000 });
});

it("what is far from a change is left out", () => {
  const found = parts(diff(text("abcdefghijklm"), text("abcdefgXijklm")), 2);
  expect(found.map((part) => ("rows" in part ? part.rows.length : -part.leftOut.length))).toEqual([-5, 5, -3]);
});

it("of a changed line it is known where", () => {
  expect(within('from = "a"', 'from = "b"')).toEqual({ start: 8, end: 1 });
  expect(within("aa", "aaa")).toEqual({ start: 2, end: 0 });
});
