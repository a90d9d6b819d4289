/**
 * The theme of the editor, in the colours of the page. CSS variables reach into its shadow root; style sheets do not.
 */
import { EditorView } from "@codemirror/view";

export const THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "0.85rem" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--letters-fixed)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--chosen) 40%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 35%, transparent)",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--chosen)", outline: "1px solid var(--line-strong)" },
  ".cm-panels, .cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    border: "1px solid var(--line)",
  },
  ".cm-panel input, .cm-panel button": {
    color: "var(--text)",
    background: "var(--surface)",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--chosen)", color: "var(--text)" },
  ".cm-completionDetail": { fontFamily: "var(--letters-fixed)", fontStyle: "normal", color: "var(--muted)" },
  ".cm-lsp-documentation": { maxWidth: "36rem", maxHeight: "20rem", overflow: "auto", padding: "0.4rem 0.6rem" },
  ".cm-lsp-documentation pre": { margin: "0 0 0.4rem", fontFamily: "var(--letters-fixed)", whiteSpace: "pre-wrap" },
  ".cm-lsp-documentation p": { margin: "0 0 0.4rem", fontFamily: "var(--letters)", color: "var(--muted)" },
  ".cm-lsp-documentation a": { color: "var(--accent)" },
  ".cm-lsp-reference-panel .cm-lsp-reference[aria-selected]": { backgroundColor: "var(--chosen)" },
  ".cm-diagnostic": { fontFamily: "var(--letters)", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--critical)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--minor)" },
  ".cm-lintRange-error": { backgroundImage: "none", borderBottom: "2px solid var(--critical)" },
  ".cm-lintRange-warning": { backgroundImage: "none", borderBottom: "2px solid var(--minor)" },
  ".cm-lint-marker": {
    content: "none !important",
    width: "0.6em",
    height: "0.6em",
    marginTop: "0.45em",
    borderRadius: "50%",
  },
  ".cm-lint-marker-error": { backgroundColor: "var(--critical)" },
  ".cm-lint-marker-warning": { backgroundColor: "var(--minor)" },
});
