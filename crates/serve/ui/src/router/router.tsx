/** Where the person is: the browser's address, its history, and links that change them without a new page. */
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

/** The path and the words behind `?`. */
export function useAddress(): { path: string; query: URLSearchParams } {
  const path = useSyncExternalStore(subscribe, () => window.location.pathname);
  const search = useSyncExternalStore(subscribe, () => window.location.search);
  return useMemo(() => ({ path, query: new URLSearchParams(search) }), [path, search]);
}

/** What a page shows is in its address, so that it can be sent to somebody: one word of it, and how to change it. */
export function useWord(word: string): [string, (value: string) => void] {
  const { query } = useAddress();
  const change = useCallback(
    (value: string) => {
      const next = new URLSearchParams(window.location.search);
      if (value === "") next.delete(word);
      else next.set(word, value);
      const text = next.toString();
      go(window.location.pathname + (text === "" ? "" : `?${text}`), "replace");
    },
    [word],
  );
  return [query.get(word) ?? "", change];
}

export function Link({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    // Whoever opens it in another window gets one.
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isPlain || rest.target !== undefined) return;
    event.preventDefault();
    go(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}
