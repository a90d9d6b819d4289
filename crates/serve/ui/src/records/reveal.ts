/** Brings what is chosen into sight; not when the page opens, which begins at its head. */
import { type RefObject, useEffect, useRef } from "react";

export function useReveal(box: RefObject<HTMLElement | null>, what: string, chosen: unknown): void {
  const shown = useRef(chosen);
  useEffect(() => {
    if (shown.current === chosen) return;
    shown.current = chosen;
    box.current?.querySelector(what)?.scrollIntoView({ block: "nearest" });
  }, [box, what, chosen]);
}
