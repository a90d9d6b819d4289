/** Text that the browser keeps between visits. If the browser blocks storage, it lasts until the page is reloaded. */

const blocked = new Map<string, string>();

export function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return blocked.get(key) ?? null;
  }
}

/** Keeps a text. Returns whether it lasts longer than the page. */
export function keepText(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    blocked.set(key, text);
    return false;
  }
}
