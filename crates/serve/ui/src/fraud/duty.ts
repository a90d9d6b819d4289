/** Whether the user of this browser is on duty: then the page for the shift is the first tab. */
import { useSyncExternalStore } from "react";

import { keepText, storedText } from "../parts/storage";

const KEY = "tollgate-fraud-duty";

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const useIsOnDuty = (): boolean => useSyncExternalStore(subscribe, () => storedText(KEY) === "true");

export function setOnDuty(isOn: boolean): void {
  keepText(KEY, String(isOn));
  for (const listener of listeners) listener();
}
