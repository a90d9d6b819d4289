/** The width of the window, and whether the user wants less motion. */
import { useSyncExternalStore } from "react";

const narrow = window.matchMedia("(max-width: 760px)");

function subscribe(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

/** Whether the user prefers no animation. */
export const isStill = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export const useIsNarrow = () => useSyncExternalStore(subscribe, () => narrow.matches);
