/** The browser's address and history, and links that change them without loading a new page. */
import { type AnchorHTMLAttributes, type MouseEvent, useCallback, useMemo, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
  };
}

export function go(to: string, how: "push" | "replace" = "push"): void {
  if (how === "push") window.history.pushState(null, "", to);
  else window.history.replaceState(null, "", to);
  for (const listener of listeners) listener();
}

/** Returns the path and the query of the address. */
export function useAddress(): { path: string; query: URLSearchParams } {
  const path = useSyncExternalStore(subscribe, () => window.location.pathname);
  const search = useSyncExternalStore(subscribe, () => window.location.search);
  return useMemo(() => ({ path, query: new URLSearchParams(search) }), [path, search]);
}

/** Changes parameters of the query. An empty text removes one. */
export function changeWords(words: Record<string, string>): void {
  const next = new URLSearchParams(window.location.search);
  for (const [word, value] of Object.entries(words)) {
    if (value === "") next.delete(word);
    else next.set(word, value);
  }
  const text = next.toString();
  go(window.location.pathname + (text === "" ? "" : `?${text}`), "replace");
}

/** Returns a parameter of the query and a function that changes it. State in the address can be shared as a link. */
export function useWord(word: string): [string, (value: string) => void] {
  const { query } = useAddress();
  const change = useCallback((value: string) => changeWords({ [word]: value }), [word]);
  return [query.get(word) ?? "", change];
}

export function Link({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    // A click that opens a new window is left to the browser.
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isPlain || rest.target !== undefined) return;
    event.preventDefault();
    go(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}
