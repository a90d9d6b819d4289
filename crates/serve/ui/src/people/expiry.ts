/** When tokens expire, and the warning before that. */
import { counted } from "../parts/numbers";

/** The lifetimes to choose from, in days; the longest is the gateway's limit. */
export const DAYS: readonly [number, string][] = [
  [30, "30 days"],
  [90, "90 days"],
  [180, "180 days"],
  [366, "a year"],
];

/** The lifetime selected first, which is the gateway's default. */
export const DAYS_USUAL = 90;

/** A token is marked this many days before it expires, so that there is time to replace it. */
const SOON_DAYS = 14;

const DAY_MS = 86_400_000;

export interface Expiry {
  /** The severity of the mark, if there is one. */
  mark: "major" | "minor" | null;
  words: string;
}

/** The warning about a token; empty if it expires later. */
export function expiry(until: string, now: number): Expiry {
  const left = Date.parse(until) - now;
  if (left <= 0) return { mark: "major", words: "expired" };
  const days = Math.floor(left / DAY_MS);
  if (days >= SOON_DAYS) return { mark: null, words: "" };
  return { mark: "minor", words: days === 0 ? "expires within a day" : `expires in ${counted(days, "day")}` };
}
