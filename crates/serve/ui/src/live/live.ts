/** What runs, each second: the gateway's events, for whoever shows them. */
import { useSyncExternalStore } from "react";

import type { Figures, Graph } from "../api/types";

/** Figures that are kept: enough to see whether a queue grows. */
const KEPT = 10;

/** The browser gives up on an answer that is no stream; then it is tried again. */
const AGAIN_MS = 3_000;

export type Changed = "flow" | "alarms" | "versions";

export interface Live {
  graph: Graph | null;
  now: Figures | null;
  before: Figures | null;
  /** The oldest that are kept. */
  earlier: Figures | null;
  isConnected: boolean;
  /** How often each changed: whoever shows it reads it anew when the number does. */
  changes: Record<Changed, number>;
}

const NOTHING: Live = {
  graph: null,
  now: null,
  before: null,
  earlier: null,
  isConnected: false,
  changes: { flow: 0, alarms: 0, versions: 0 },
};

/** What an event makes of what was known. */
export function after(live: Live, event: "graph" | "figures" | "changed", data: unknown): Live {
  if (event === "graph") return { ...live, graph: data as Graph, isConnected: true };
  if (event === "figures") return { ...live, now: data as Figures, before: live.now, isConnected: true };
  const { what } = data as { what: Changed };
  return { ...live, changes: { ...live.changes, [what]: live.changes[what] + 1 } };
}

let live = NOTHING;
let kept: Figures[] = [];
let source: EventSource | null = null;
let again: ReturnType<typeof setTimeout> | undefined;
let whenLost: () => void = () => {};
const listeners = new Set<() => void>();

function become(next: Live): void {
  live = next;
  for (const listener of listeners) listener();
}

function receive(event: "graph" | "figures" | "changed") {
  return (message: MessageEvent<string>) => {
    const next = after(live, event, JSON.parse(message.data));
    if (event === "figures" && next.now !== null) {
      kept = [...kept, next.now].slice(-KEPT);
      become({ ...next, earlier: kept[0] ?? null });
    } else become(next);
  };
}

/** Begins to listen. `lost` is called when the gateway is out of reach, or nobody is logged in any more. */
export function listen(lost: () => void): void {
  stop();
  whenLost = lost;
  const events = new EventSource("/api/live");
  for (const event of ["graph", "figures", "changed"] as const) events.addEventListener(event, receive(event));
  events.onerror = () => {
    become({ ...live, isConnected: false });
    whenLost();
    if (events.readyState !== EventSource.CLOSED) return;
    clearTimeout(again);
    again = setTimeout(() => source === events && listen(whenLost), AGAIN_MS);
  };
  source = events;
}

export function stop(): void {
  source?.close();
  source = null;
  clearTimeout(again);
  kept = [];
  live = NOTHING;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A part of what is live. It has to be the same value as long as nothing changed. */
export function useLive<T>(part: (live: Live) => T): T {
  return useSyncExternalStore(subscribe, () => part(live));
}
