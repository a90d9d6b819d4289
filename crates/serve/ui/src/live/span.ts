/** The window whose figures the graph shows: the last 10 seconds, until the user chooses another. */
import { useSyncExternalStore } from "react";

import { keepText, storedText } from "../parts/storage";
import { SPANS, type Span } from "./figures";

const KEY = "tollgate-window";
const listeners = new Set<() => void>();

const stored = (): Span => SPANS.find((each) => each === storedText(KEY)) ?? "ten_seconds";

let span: Span | null = null;

export function chooseSpan(next: Span): void {
  span = next;
  keepText(KEY, next);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useSpan = () => useSyncExternalStore(subscribe, () => (span ??= stored()));
