/**
 * Moves through the rows of a list by keys. A row has one element with the attribute `data-row`, which has its number:
 * as a rule the link that opens it, so that Enter does.
 */
import { type KeyboardEvent, type RefObject, useEffect, useRef } from "react";

const STEPS: Record<string, number> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

const NO_KEYS = "input:not([type=checkbox]), select, textarea, dialog, summary, [contenteditable]";

const rowsIn = (list: HTMLElement | null) => [...(list?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];

/** Returns whether a key is plain, and not typed into a field. */
const isFree = ({ target, altKey, ctrlKey, metaKey }: Pick<Event, "target"> & Modified) =>
  !altKey && !ctrlKey && !metaKey && (target as Element).closest(NO_KEYS) === null;

type Modified = Pick<globalThis.KeyboardEvent, "altKey" | "ctrlKey" | "metaKey">;

/**
 * Returns the ref and the handler of the element around the list. `j`, `k` and the arrows move the focus from row to
 * row. `onKey` gets other keys while a row has the focus, with its number; it returns whether it took one.
 */
export function useRowKeys(onKey: (key: string, row: number) => boolean): {
  ref: RefObject<HTMLDivElement | null>;
  onKeyDown: (event: KeyboardEvent) => void;
} {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // From elsewhere on the page, j goes to the first row.
    const begin = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "j" || event.defaultPrevented || !isFree(event)) return;
      event.preventDefault();
      rowsIn(ref.current)[0]?.focus();
    };
    document.addEventListener("keydown", begin);
    return () => document.removeEventListener("keydown", begin);
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const element = event.target as Element;
    const here = element.closest("tr")?.querySelector<HTMLElement>("[data-row]") ?? null;
    if (here === null || !isFree(event)) return;
    const step = STEPS[event.key];
    if (step !== undefined) {
      const rows = rowsIn(ref.current);
      rows[rows.indexOf(here) + step]?.focus();
    } else if (!onKey(event.key, Number(here.dataset.row))) return;
    event.preventDefault();
  };
  return { ref, onKeyDown };
}
