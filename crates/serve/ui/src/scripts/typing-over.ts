/**
 * Lets the editor replace a selection while typing. Chromium would keep the look of the deleted text in a `style`
 * attribute, which the content security policy forbids, with an error in the console.
 */
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

export const typingOver: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state } = view;
    // Composed input stays with the browser.
    if (event.inputType !== "insertText" || event.data === null || view.composing || state.readOnly) return false;
    if (state.selection.ranges.every((range) => range.empty)) return false;
    event.preventDefault();
    view.dispatch(state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});
