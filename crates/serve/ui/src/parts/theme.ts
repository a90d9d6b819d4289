/** The theme, light or dark: the system's, until the user chooses one. */
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const KEY = "tollgate-theme";
const listeners = new Set<() => void>();

function stored(): Theme {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : "system";
  } catch {
    // The browser blocks storage: use the system's theme.
    return "system";
  }
}

let theme: Theme = stored();

/** Sets the theme's attribute for the style sheets. It is called once at the start and after each change. */
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
    // The choice then lasts until the page is reloaded.
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

/** Returns whether the theme is dark, for canvases, which style sheets do not reach. */
export const useIsDark = () =>
  useSyncExternalStore(watch, () => (theme === "system" ? prefersDark.matches : theme === "dark"));
