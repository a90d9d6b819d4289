/**
 * Saved views of lists, by user: a name for the query of an address, which has the filters, the order and the columns.
 * They are in the browser's storage.
 */
import { useMemo, useSyncExternalStore } from "react";

import { keepText, storedText } from "./storage";

export interface SavedView {
  /** The path of the list. */
  path: string;
  name: string;
  /** The query, without the question mark. */
  query: string;
}

/** The most views of a user. The browser's storage is small, and a menu must be readable. */
export const VIEWS_MAX = 100;

export const VIEW_NAME_LENGTH_MAX = 60;

const keyOf = (user: string) => `tollgate-views:${user}`;

/** Reads stored views. What is not a view, as of another version of this page, is left out. */
export function viewsOf(text: string | null): SavedView[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(found: unknown): found is SavedView {
  const view = found as Partial<Record<keyof SavedView, unknown>> | null;
  return (
    typeof view?.path === "string" &&
    // It becomes a link, which must not lead to another site.
    /^\/[a-z]/.test(view.path) &&
    typeof view.name === "string" &&
    typeof view.query === "string"
  );
}

/** Returns the views with one more. A view of the same list and name is replaced. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [...withoutView(views, view), view].slice(-VIEWS_MAX);

export const withoutView = (views: readonly SavedView[], { path, name }: SavedView): SavedView[] =>
  views.filter((each) => each.path !== path || each.name !== name);

export const viewAddress = ({ path, query }: SavedView) => (query === "" ? path : `${path}?${query}`);

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Other windows report their changes by this event.
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

/** Returns the saved views of a user, and a function that replaces them. */
export function useViews(user: string): [SavedView[], (views: SavedView[]) => void] {
  const text = useSyncExternalStore(subscribe, () => storedText(keyOf(user)));
  const change = (views: SavedView[]) => {
    keepText(keyOf(user), JSON.stringify(views));
    for (const listener of listeners) listener();
  };
  return [useMemo(() => viewsOf(text), [text]), change];
}
