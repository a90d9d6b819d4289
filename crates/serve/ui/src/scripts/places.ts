/** Places as the gateway counts them: lines and columns from 1, columns in characters. */
import type { EditorState } from "@codemirror/state";

export interface Place {
  line: number;
  column: number;
}

/** Returns the offset of a place. A place beyond the end of a line or text is moved to that end. */
export function position(state: EditorState, { line, column }: Place): number {
  const of = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
  const before = [...of.text].slice(0, Math.max(0, column - 1));
  return of.from + before.join("").length;
}
