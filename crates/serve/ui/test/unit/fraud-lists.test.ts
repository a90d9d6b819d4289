/** Lists of keys: what is dead, what an import changes, and which files it takes. */
import { describe, expect, it } from "vitest";

import type { FraudListFolder } from "../../src/api/types";
import {
  changeOf,
  deadBecause,
  differencesInWords,
  entryInWords,
  hasDifferences,
  isListName,
  listsIn,
  nameAmong,
  utf8Text,
} from "../../src/fraud/list-words";

const figures = (name: string) => ({ name, entries: 1, dead: 0, problem: null });

it("a list is named with its nodes if there is another one of its name", () => {
  const folders: FraudListFolder[] = [
    { nodes: ["calls", "texts"], lists: [figures("offices"), figures("hot")], problem: null },
    { nodes: ["roamers"], lists: [figures("offices")], problem: null },
  ];
  const all = listsIn(folders);
  expect(all.map((each) => nameAmong(all, each))).toEqual(["offices of calls, texts", "hot", "offices of roamers"]);
});

it("an entry is dead if its time is over, or if it never mattered", () => {
  expect(deadBecause({ over: true, hits: 7 })).toBe("over");
  expect(deadBecause({ over: false, hits: 0 })).toBe("never mattered");
  expect(deadBecause({ over: false, hits: 1 })).toBeNull();
});

describe("an import", () => {
  const written = { from: "", until: "2026-12-31", source: "support", who: "", because: "a call centre" };
  it("adds, removes or changes a key", () => {
    expect(changeOf({ before: [], after: [written] })).toBe("added");
    expect(changeOf({ before: [written], after: [] })).toBe("removed");
    expect(changeOf({ before: [written], after: [written, written] })).toBe("changed");
  });
  it("has entries without what is empty", () => {
    expect(entryInWords(written)).toBe("until 2026-12-31, support, a call centre");
    expect(entryInWords({ from: "2026-01-01", until: "", source: "", who: "", because: "" })).toBe("from 2026-01-01");
  });
  it("says what it changes", () => {
    expect(differencesInWords({ added: 1_200, removed: 0, changed: 3 })).toBe("1,200 added, 0 removed, 3 changed");
    expect(hasDifferences({ added: 0, removed: 0, changed: 0 })).toBe(false);
    expect(hasDifferences({ added: 0, removed: 0, changed: 1 })).toBe(true);
  });
  it("takes a file in UTF-8 without its mark, and no other", () => {
    expect(utf8Text(new Uint8Array([0xef, 0xbb, 0xbf, 0x6b]).buffer)).toBe("k");
    expect(utf8Text(new Uint8Array([0x6b, 0xe5]).buffer)).toBeNull();
  });
});

it("a list has a name that is a plain file", () => {
  for (const name of ["call-centres", "2026.1", "größen"]) expect(isListName(name), name).toBe(true);
  for (const name of ["", ".hidden", "../rules", "a b", "x".repeat(65)]) expect(isListName(name), name).toBe(false);
});
