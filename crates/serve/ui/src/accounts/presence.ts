/** Whether the gateway has a charging system. Without one, the navigation and the command palette have no accounts. */
import { useEffect, useSyncExternalStore } from "react";

import { Refusal } from "../api/client";
import { gateway } from "../api/gateway";
import type { ChargingFigures } from "../api/types";
import { useLive } from "../live/live";

let hasCharging = false;
const listeners = new Set<() => void>();

function become(next: boolean): void {
  if (next === hasCharging) return;
  hasCharging = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The errors of a charging system that is there and cannot be used at the moment. */
const TROUBLES = ["charging-has-mistakes", "charging-does-not-answer", "accounts-unusable"];

/** Returns whether an error says that there is no charging system. A gateway without that part has no such path. */
export const isMissing = (problem: Refusal | null) => problem?.status === 404;

/** Loads the figures of the charging system, and notes whether there is one. */
export async function chargingFigures(): Promise<ChargingFigures> {
  try {
    const figures = await gateway.charging();
    become(true);
    return figures;
  } catch (error) {
    // Other errors, such as that of a lost connection, say nothing about it.
    if (error instanceof Refusal && isMissing(error)) become(false);
    if (error instanceof Refusal && TROUBLES.includes(error.code ?? "")) become(true);
    throw error;
  }
}

/** Returns whether there is a charging system. It is looked for again when the flow changes. */
export function useHasCharging(): boolean {
  const isConnected = useLive((live) => live.isConnected);
  const flow = useLive((live) => live.changes.flow);
  useEffect(() => {
    if (isConnected) chargingFigures().catch(() => undefined);
  }, [isConnected, flow]);
  return useSyncExternalStore(subscribe, () => hasCharging);
}
