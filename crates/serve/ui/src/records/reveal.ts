/** Scrolls the selected element into view, except when the page opens: then it starts at the top. */
import { type RefObject, useEffect, useRef } from "react";

export function useReveal(box: RefObject<HTMLElement | null>, what: string, chosen: unknown): void {
  const shown = useRef(chosen);
  useEffect(() => {
    if (shown.current === chosen) return;
    shown.current = chosen;
    box.current?.querySelector(what)?.scrollIntoView({ block: "nearest" });
  }, [box, what, chosen]);
}
