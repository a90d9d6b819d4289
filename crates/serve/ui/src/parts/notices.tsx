/** Short messages about finished actions. They disappear after a while, and screen readers read them out. */
import { useSyncExternalStore } from "react";

import { Icon } from "./icons";

const SHOWN_MS = 8_000;
/** More would hide the page. */
const SHOWN_MAX = 3;

interface Notice {
  number: number;
  text: string;
}

let notices: Notice[] = [];
let last = 0;
const listeners = new Set<() => void>();

function become(next: Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

const dismiss = (number: number) => become(notices.filter((notice) => notice.number !== number));

export function say(text: string): void {
  last += 1;
  const number = last;
  become([...notices, { number, text }].slice(-SHOWN_MAX));
  setTimeout(() => dismiss(number), SHOWN_MS);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map((notice) => (
        <div key={notice.number} className="notice">
          <span>{notice.text}</span>
          <button
            type="button"
            className="button button-quiet"
            aria-label="Dismiss"
            onClick={() => dismiss(notice.number)}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  );
}
