/** When tokens expire, and how that is said before it is too late. */
import { counted } from "../parts/numbers";

/** What a token may be made for, in days: the longest is what the gateway allows. */
export const DAYS: readonly [number, string][] = [
  [30, "30 days"],
  [90, "90 days"],
  [180, "180 days"],
  [366, "a year"],
];

/** What is offered first; the gateway's own default. */
export const DAYS_USUAL = 90;

/** From so many days before its end on, a token is marked: whoever uses it needs time to change it. */
const SOON_DAYS = 14;

const DAY_MS = 86_400_000;

export interface Expiry {
  /** How it is marked, if it is. */
  mark: "major" | "minor" | null;
  words: string;
}

/** What is to be said of the end of a token; nothing of one that is far away. */
export function expiry(until: string, now: number): Expiry {
  const left = Date.parse(until) - now;
  if (left <= 0) return { mark: "major", words: "expired" };
  const days = Math.floor(left / DAY_MS);
  if (days >= SOON_DAYS) return { mark: null, words: "" };
  return { mark: "minor", words: days === 0 ? "expires within a day" : `expires in ${counted(days, "day")}` };
}
