/** How much room there is. */
import { useSyncExternalStore } from "react";

const narrow = window.matchMedia("(max-width: 760px)");

function subscribe(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

export const useIsNarrow = () => useSyncExternalStore(subscribe, () => narrow.matches);
