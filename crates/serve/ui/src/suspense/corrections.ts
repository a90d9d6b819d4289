/** Corrections of records in suspense that are written and not saved: still there when somebody comes back from another page. */
import { useSyncExternalStore } from "react";

import type { Exact } from "../api/exact-json";
import { askedBeforeLeaving } from "../parts/unsaved";

export interface Correction {
  /** The octets that the record had when it was begun. */
  basedOn: string;
  /** None of one that cannot be read. */
  record: Exact;
  /** The JSON that is being written, which need not be whole yet; or the octets of one that cannot be read. */
  text: string | null;
}

const corrections = new Map<number, Correction>();
const listeners = new Set<() => void>();

askedBeforeLeaving(() => corrections.size > 0);

export function keepCorrection(id: number, correction: Correction | null): void {
  if (correction === null) corrections.delete(id);
  else corrections.set(id, correction);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useCorrection = (id: number) => useSyncExternalStore(subscribe, () => corrections.get(id) ?? null);
