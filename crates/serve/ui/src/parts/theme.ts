/** The theme, light or dark: the system's, until the user chooses one. */
import { useSyncExternalStore } from "react";

import { keepText, storedText } from "./storage";

export type Theme = "system" | "light" | "dark";

const KEY = "tollgate-theme";
const listeners = new Set<() => void>();

function stored(): Theme {
  const found = storedText(KEY);
  return found === "light" || found === "dark" ? found : "system";
}

let theme: Theme = stored();

/** Sets the theme's attribute for the style sheets. It is called once at the start and after each change. */
export function showTheme(): void {
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
}

export function chooseTheme(next: Theme): void {
  theme = next;
  keepText(KEY, next);
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
