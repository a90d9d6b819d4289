/** Vouchers that were made, with their PINs. They stay when the user goes to another page: no other answer has them. */
import { useSyncExternalStore } from "react";

import type { NewVoucher } from "../api/types";
import { askedBeforeLeaving } from "../parts/unsaved";

export interface MadeBatch {
  batch: number;
  vouchers: NewVoucher[];
  /** Whether they were saved as a file. */
  isSaved: boolean;
}

let made: MadeBatch | null = null;
const listeners = new Set<() => void>();

askedBeforeLeaving(() => made !== null && !made.isSaved);

export function keepMade(next: MadeBatch | null): void {
  made = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useMade = () => useSyncExternalStore(subscribe, () => made);
