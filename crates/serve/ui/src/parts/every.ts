/** Loads data again at an interval, as long as the window is visible. */
import { useEffect, useSyncExternalStore } from "react";

import type { Loaded } from "./load";

/** `again` runs `ms` after the last answer, so that a slow gateway gets no second request meanwhile. */
export function useEvery(ms: number, { again, isLoading }: Pick<Loaded<unknown>, "again" | "isLoading">): void {
  const isVisible = useSyncExternalStore(subscribe, () => !document.hidden);
  useEffect(() => {
    if (isLoading || !isVisible) return;
    const timer = setTimeout(again, ms);
    return () => clearTimeout(timer);
  }, [ms, again, isLoading, isVisible]);
}

function subscribe(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}
