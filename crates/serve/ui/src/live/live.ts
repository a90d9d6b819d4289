/** The gateway's events: the graph, and figures each second, for the components that show them. */
import { useSyncExternalStore } from "react";

import { gateway } from "../api/gateway";
import type { Changed, Figures, Graph } from "../api/types";
import { type Counted, type Flowing, flowing, inAllSpans, placesOf } from "./figures";
import { useSpan } from "./span";

/** After this time without an event, the gateway counts as unreachable. */
const SILENCE_MS_MAX = 6_000;

/** The interval of the check for silence. */
const LOOKED_MS = 2_000;

/** What an event says has changed. An event of another kind is for a later interface. */
const CHANGES = ["flow", "alarms", "versions"] as const;
type Change = (typeof CHANGES)[number];

export interface Live {
  graph: Graph | null;
  now: Figures | null;
  /** The figures of the last seconds before `now`, the oldest first. */
  before: readonly Figures[];
  /** The oldest of them, to compare queues with. */
  earlier: Figures | null;
  isConnected: boolean;
  /** Whether the connection is new. A queue must not be compared with one from before it. */
  isNew: boolean;
  /** The number of changes of each kind. A component loads its data again when the number changes. */
  changes: Record<Change, number>;
}

const NOTHING: Live = {
  graph: null,
  now: null,
  before: [],
  earlier: null,
  isConnected: false,
  isNew: true,
  changes: { flow: 0, alarms: 0, versions: 0 },
};

/** The number of earlier figures to compare queues with. Figures come each second. */
const BEFORE_MAX = 9;

/** Returns the state after an event. */
export function after(live: Live, event: "graph" | "figures" | "changed", data: unknown): Live {
  if (event === "graph") {
    // Changes between two connections were not reported, so everything counts as changed.
    const { flow, alarms, versions } = live.changes;
    const changes = live.graph === null ? live.changes : { flow: flow + 1, alarms: alarms + 1, versions: versions + 1 };
    return { ...live, graph: data as Graph, changes, isConnected: true, isNew: true };
  }
  if (event === "figures") {
    const now = data as Figures;
    const before = live.isNew || live.now === null ? [] : [...live.before, live.now].slice(-BEFORE_MAX);
    return { ...live, now, before, earlier: before[0] ?? null, isConnected: true, isNew: false };
  }
  const { what } = data as Changed;
  const change = CHANGES.find((each) => each === what);
  return change === undefined ? live : { ...live, changes: { ...live.changes, [change]: live.changes[change] + 1 } };
}

let live = NOTHING;
let source: EventSource | null = null;
let heard = 0;
let watch: ReturnType<typeof setInterval> | undefined;
let whenLost: () => void = () => {};
const listeners = new Set<() => void>();

function become(next: Live): void {
  live = next;
  for (const listener of listeners) listener();
}

function receive(event: "graph" | "figures" | "changed") {
  return (message: MessageEvent<string>) => {
    heard = Date.now();
    const next = after(live, event, JSON.parse(message.data));
    if (event === "changed" && next.changes.flow !== live.changes.flow) void readGraph();
    become(next);
  };
}

/** Reads the graph again, because the event says only that the flow changed. */
async function readGraph(): Promise<void> {
  const read = source;
  const { graph } = await gateway.flow().catch(() => ({ graph: null }));
  if (graph !== null && source === read) become({ ...live, graph });
}

function connect(): void {
  source?.close();
  const events = new EventSource("/api/live");
  for (const event of ["graph", "figures", "changed"] as const) events.addEventListener(event, receive(event));
  events.onerror = () => lost();
  source = events;
  heard = Date.now();
}

function lost(): void {
  if (!live.isConnected) return;
  become({ ...live, isConnected: false });
  whenLost();
}

/**
 * Connects again after silence. The browser does not notice a connection that breaks silently; figures come each
 * second.
 */
function look(): void {
  if (source === null) return;
  if (Date.now() - heard < SILENCE_MS_MAX && source?.readyState !== EventSource.CLOSED) return;
  lost();
  connect();
}

/** Closes the connection of a hidden window. A browser has six connections to a gateway for all its windows. */
function turnToSeen(): void {
  if (document.hidden) {
    source?.close();
    source = null;
  } else if (source === null) connect();
}

/** Begins to listen. Calls `callback` when the gateway is unreachable or the session may be over. */
export function listen(callback: () => void): void {
  stop();
  whenLost = callback;
  turnToSeen();
  document.addEventListener("visibilitychange", turnToSeen);
  watch = setInterval(look, LOOKED_MS);
}

export function stop(): void {
  document.removeEventListener("visibilitychange", turnToSeen);
  source?.close();
  source = null;
  clearInterval(watch);
  live = NOTHING;
}

/** The nodes and edges of each graph, cached because every node and edge looks them up each second. */
const running = new WeakMap<Graph, ReadonlySet<string>>();

function runs(graph: Graph, place: string): boolean {
  let found = running.get(graph);
  if (found === undefined) running.set(graph, (found = placesOf(graph)));
  return found.has(place);
}

/**
 * Returns the figures of a node or an edge in the chosen window, and those of all windows in words; or null if it does
 * not run.
 */
export function useFlowing(place: string, of: Counted): (Flowing & { words: string }) | null {
  const now = useLive((all) => all.now);
  const span = useSpan();
  const isRunning = useLive((all) => all.graph !== null && runs(all.graph, place));
  return isRunning && now !== null ? { ...flowing(now, span, of), words: inAllSpans(now, of) } : null;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns a part of the live state. `part` must return the same value as long as nothing changed. */
export function useLive<T>(part: (live: Live) => T): T {
  return useSyncExternalStore(subscribe, () => part(live));
}
