/** Unsaved corrections of records in suspense. They stay when the user goes to another page. */
import { useSyncExternalStore } from "react";

import type { Exact } from "../api/exact-json";
import { askedBeforeLeaving } from "../parts/unsaved";

export interface Correction {
  /** The octets of the record when the correction began. */
  basedOn: string;
  /** Null for a record that cannot be read. */
  record: Exact;
  /** The JSON text that is being written, which can be incomplete; or the octets of a record that cannot be read. */
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
