/**
 * Typing over a selection, done by the editor. Chromium would keep the look of what was deleted by a `style` of the new
 * text, which the content policy forbids, and the browser's log complains of.
 */
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

export const typingOver: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state } = view;
    // What is composed of several keys is the browser's alone.
    if (event.inputType !== "insertText" || event.data === null || view.composing || state.readOnly) return false;
    if (state.selection.ranges.every((range) => range.empty)) return false;
    event.preventDefault();
    view.dispatch(state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});
