/** The theme of differences, in the colours of the page. */
import { EditorView } from "@codemirror/view";

const ADDED = "var(--added)";
const REMOVED = "var(--removed)";
const ADDED_WORD = "var(--added-word)";
const REMOVED_WORD = "var(--removed-word)";

export const THEME = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "0.78rem" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--letters-fixed)", lineHeight: "1.5" },
  ".cm-content": { overflowWrap: "anywhere" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", border: "none" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 35%, transparent)",
  },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: REMOVED },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: ADDED },
  "&.cm-merge-a .cm-changedText, & .cm-deletedChunk .cm-deletedText": { background: REMOVED_WORD },
  "&.cm-merge-b .cm-changedText": { background: ADDED_WORD },
  "&.cm-merge-a .cm-changedLineGutter, & .cm-deletedLineGutter": { background: "var(--critical)" },
  "&.cm-merge-b .cm-changedLineGutter": { background: "var(--fine)" },
  ".cm-mergeSpacer": { backgroundColor: "var(--sunken)" },
  ".cm-collapsedLines": {
    color: "var(--muted)",
    background: "var(--sunken)",
    fontFamily: "var(--letters)",
  },
  // The library's sign is in few fonts.
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"…"' },
});
