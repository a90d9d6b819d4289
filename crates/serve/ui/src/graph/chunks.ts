/** How many lines differ between two texts. */
import type { Chunk } from "@codemirror/merge";
import type { Text } from "@codemirror/state";

export interface Counts {
  added: number;
  removed: number;
}

type Place = Pick<Chunk, "fromA" | "toA" | "endA" | "fromB" | "toB" | "endB">;

/** A changed line counts as removed and as added. */
export function countsOf(chunks: readonly Place[], before: Text, after: Text): Counts {
  const counts = { added: 0, removed: 0 };
  for (const { fromA, toA, endA, fromB, toB, endB } of chunks) {
    if (fromA < toA) counts.removed += linesOf(before, fromA, endA);
    if (fromB < toB) counts.added += linesOf(after, fromB, endB);
  }
  return counts;
}

const linesOf = (text: Text, from: number, end: number) => text.lineAt(end).number - text.lineAt(from).number + 1;
