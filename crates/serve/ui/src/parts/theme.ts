/** Light or dark: as the system says, until the person says otherwise. */
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const KEY = "tollgate-theme";
const listeners = new Set<() => void>();

function stored(): Theme {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : "system";
  } catch {
    // A browser that keeps nothing: the system's theme it is.
    return "system";
  }
}

let theme: Theme = stored();

/** Said once at the start, and with each change. Style sheets look at the attribute. */
export function showTheme(): void {
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
}

export function chooseTheme(next: Theme): void {
  theme = next;
  try {
    if (next === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    // Then it lasts as long as the page.
  }
  showTheme();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useTheme = () => useSyncExternalStore(subscribe, () => theme);

const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");

function watch(listener: () => void): () => void {
  prefersDark.addEventListener("change", listener);
  const leave = subscribe(listener);
  return () => {
    prefersDark.removeEventListener("change", listener);
    leave();
  };
}

/** For what is drawn and not styled: canvases. */
export const useIsDark = () =>
  useSyncExternalStore(watch, () => (theme === "system" ? prefersDark.matches : theme === "dark"));
