/** Explains the name under the pointer or, on a key command, at the cursor. */
import type { Extension, Transaction } from "@codemirror/state";
import { type Tooltip, activateHover, hoverTooltip, keymap } from "@codemirror/view";

import { gateway } from "../api/gateway";
import { explained } from "./explained";
import { placeAt, position } from "./places";

/** The key command, as in other editors. */
const KEY = "Mod-k Mod-i";

export function hover(file: string): Extension {
  const tooltip = hoverTooltip(async ({ state }, at): Promise<Tooltip | null> => {
    const asked = gateway.hover(file, state.doc.toString(), placeAt(state, at));
    // If the request fails, there is no explanation.
    const { name } = await asked.catch(() => ({ name: null }));
    if (name == null) return null;
    return {
      pos: position(state, name),
      end: position(state, { line: name.end_line, column: name.end_column }),
      above: true,
      create: () => ({ dom: explained(name) }),
    };
  });
  const until = (change: Transaction) => change.docChanged || change.selection !== undefined;
  return [
    tooltip,
    keymap.of([
      {
        key: KEY,
        run: (view) => {
          activateHover(view, view.state.selection.main.head, 1, { tooltip, until });
          return true;
        },
      },
    ]),
  ];
}
