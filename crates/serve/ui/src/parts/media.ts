/** How much room there is. */
import { useSyncExternalStore } from "react";

const narrow = window.matchMedia("(max-width: 760px)");

function subscribe(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

/** Whether somebody wants things to be where they are going at once. */
export const isStill = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export const useIsNarrow = () => useSyncExternalStore(subscribe, () => narrow.matches);
