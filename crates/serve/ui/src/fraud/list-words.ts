/** Lists of keys: where they are, and what is different in an imported file. */
import type { DifferentListEntry, FraudListEntry, FraudListFolder, ImportedFraudList, ListFigures } from "../api/types";
import { count } from "../parts/numbers";

/** A list, with the nodes that read it. */
export type PlacedList = ListFigures & { nodes: readonly string[] };

export const listsIn = (folders: readonly FraudListFolder[]): PlacedList[] =>
  folders.flatMap(({ nodes, lists }) => lists.map((list) => ({ ...list, nodes })));

/** Names a list among all. Two folders can have lists of one name. */
export const nameAmong = (all: readonly PlacedList[], { name, nodes }: PlacedList): string =>
  all.filter((other) => other.name === name).length > 1 ? `${name} of ${nodes.join(", ")}` : name;

/** Returns why an entry does nothing, or null if it does something. */
export function deadBecause({ over, hits }: Pick<FraudListEntry, "over" | "hits">): string | null {
  if (over) return "over";
  return hits === 0 ? "never mattered" : null;
}

/** What happens to a key by an import. */
export type KeyChange = "added" | "removed" | "changed";

export const changeOf = ({ before, after }: Pick<DifferentListEntry, "before" | "after">): KeyChange => {
  if (before.length === 0) return "added";
  return after.length === 0 ? "removed" : "changed";
};

type Written = DifferentListEntry["before"][number];

/** Returns an entry as one text, without what is empty. */
export const entryInWords = ({ from, until, source, who, because }: Written): string =>
  [from === "" ? "" : `from ${from}`, until === "" ? "" : `until ${until}`, source, who, because]
    .filter((each) => each !== "")
    .join(", ");

type Numbers = Pick<ImportedFraudList, "added" | "removed" | "changed">;

export const hasDifferences = ({ added, removed, changed }: Numbers): boolean => added + removed + changed > 0;

/** Says what an import changes, or has changed. */
export const differencesInWords = ({ added, removed, changed }: Numbers): string =>
  `${count(added)} added, ${count(removed)} removed, ${count(changed)} changed`;

/** The names that a list may have. */
export const isListName = (name: string): boolean => /^[\p{L}\p{N}_-][\p{L}\p{N}._-]{0,63}$/u.test(name);

/** Returns the text of a file, or null if it is not in UTF-8. The mark of UTF-8 at its beginning is left out. */
export function utf8Text(octets: ArrayBuffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(octets);
  } catch {
    return null;
  }
}
