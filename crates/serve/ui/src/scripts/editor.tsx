/**
 * The editor of scripts: CodeMirror, which is loaded on demand. It is in a shadow root, where its styles are
 * constructed style sheets. In the page itself they would be `<style>` elements, which the content security policy
 * forbids.
 */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic as Shown, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import { flushSync } from "react-dom";

import { sentence } from "../api/client";
import type { Diagnostic } from "../api/types";
import { dup } from "./dup-language";
import { THEME } from "./editor-theme";
import { type ShowModule, languageServer } from "./language-server";
import { asEdited, asInFile, lineEndOf } from "./line-ends";
import { position } from "./places";
import { typingOver } from "./typing-over";

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.string, tags.number, tags.atom], color: "var(--formatter)" },
  { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword], color: "var(--filter)", fontWeight: "600" },
  { tag: tags.typeName, color: "var(--network-element)" },
  { tag: tags.function(tags.variableName), color: "var(--matching)" },
  { tag: tags.propertyName, color: "var(--text)" },
]);

/** Marks a text that was set from outside and not typed. */
const given = Annotation.define<boolean>();

interface EditorProps {
  label: string;
  /** The script's name in the flow. Null for a table, which gets no colours and no explanations. */
  script: string | null;
  text: string;
  diagnostics: Diagnostic[];
  /** The line to show. Each new object scrolls again. */
  sought: { line: number; column: number } | null;
  isReadOnly: boolean;
  onChange: (text: string) => void;
  /** Shows a module that the script uses. */
  onModule?: ShowModule;
  /** Takes the view, when there is one. */
  onView?: (view: EditorView) => void;
}

const noModule: ShowModule = () => Promise.reject(new Error("no module is shown here"));

export function Editor(props: EditorProps) {
  const { label, script, text, diagnostics, sought, isReadOnly, onChange, onModule = noModule, onView } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const change = useRef(onChange);
  change.current = onChange;
  const others = useRef({ onModule, onView });
  others.current = { onModule, onView };
  const first = useRef(text);
  first.current = text;
  const lineEnd = useRef(lineEndOf(text));
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const made = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          lineNumbers(),
          lintGutter(),
          history(),
          drawSelection(),
          typingOver,
          indentOnInput(),
          bracketMatching(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          highlightSelectionMatches(),
          ...(script === null
            ? []
            : [dup, languageServer(script, isReadOnly, (file) => others.current.onModule(file))]),
          syntaxHighlighting(COLOURS),
          THEME,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          // Tab leaves the editor, as it leaves any field, so that keyboard users can get out.
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((each) => each.annotation(given) === true)) return;
            // Render at once. A later render could put an older text in place of what was typed meanwhile.
            flushSync(() => change.current(asInFile(update.state.doc.toString(), lineEnd.current)));
          }),
        ],
      }),
    });
    view.current = made;
    others.current.onView?.(made);
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [label, script, isReadOnly]);
  useEffect(() => {
    const made = view.current;
    // A text that was not typed here, for example that of another version.
    if (made === null || asInFile(made.state.doc.toString(), lineEnd.current) === text) return;
    lineEnd.current = lineEndOf(text);
    const insert = asEdited(text);
    if (made.state.doc.toString() !== insert)
      made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert }, annotations: given.of(true) });
  }, [text]);
  useEffect(() => {
    const made = view.current;
    if (made !== null)
      made.dispatch(
        setDiagnostics(
          made.state,
          diagnostics.map((each) => shown(made.state, each)),
        ),
      );
  }, [diagnostics]);
  useEffect(() => {
    const made = view.current;
    if (made === null || sought === null) return;
    const at = position(made.state, sought);
    made.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    made.focus();
  }, [sought]);
  return <div className="editor" ref={host} />;
}

/** Underlines the word at the place of a diagnostic. */
function shown(state: EditorState, { severity, line, column, message, hint }: Diagnostic): Shown {
  const from = position(state, { line, column });
  const word = /^[\w-]+/.exec(state.doc.sliceString(from, state.doc.lineAt(from).to))?.[0] ?? "";
  const text = sentence(message) + (hint == null ? "" : `\n${sentence(hint)}`);
  return { from, to: Math.max(from, from + word.length), severity, message: text };
}
