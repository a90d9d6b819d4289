/** Peers of Diameter: their rates, and their state and results in words. */
import type { ConnectedPeer, PeerResult } from "../api/types";
import { count } from "../parts/numbers";

/** A shorter time gives no rate that can be read. */
const RATE_MS_MIN = 1_000;

/** Returns the key of a peer. The case of letters of ASCII does not count in its name. */
export const peerKey = ({ host }: { host: string }) => host.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The requests of peers at a moment, and how many came a second before it. */
export interface Metered {
  at: number;
  requests: ReadonlyMap<string, number>;
  /** Without a peer whose requests were not known before, or are fewer now: the system was started again. */
  rates: ReadonlyMap<string, number>;
}

/** Computes the rates since the last measurement. `at` is in milliseconds. */
export function metered(
  before: Metered | null,
  peers: readonly Pick<ConnectedPeer, "host" | "requests">[],
  at: number,
): Metered {
  if (before !== null && at - before.at < RATE_MS_MIN) return before;
  const requests = new Map(peers.map((peer) => [peerKey(peer), peer.requests]));
  const rates = new Map<string, number>();
  for (const [key, total] of requests) {
    const last = before?.requests.get(key);
    if (before !== null && last !== undefined && total >= last)
      rates.set(key, ((total - last) * 1_000) / (at - before.at));
  }
  return { at, requests, rates };
}

/** Returns the state of a peer by its connections, and its mark. */
export function stateOf({ connections }: Pick<ConnectedPeer, "connections">): { mark: string; state: string } {
  const [all, suspect] = [connections.length, connections.filter((each) => each.suspect).length];
  if (all === 0) return { mark: "quiet", state: "gone" };
  if (suspect === 0) return { mark: "fine", state: "open" };
  if (suspect === all) return { mark: "major", state: "does not answer" };
  return { mark: "minor", state: `${suspect} of ${all} ${suspect === 1 ? "does" : "do"} not answer` };
}

/** Returns the slowest round trip of the watchdog, in microseconds. Null if there is none yet. */
export function roundTripOf({ connections }: Pick<ConnectedPeer, "connections">): number | null {
  const known = connections.flatMap(({ round_trip_us }) => round_trip_us ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

/** Formats microseconds as milliseconds. Between machines of one site, a round trip is far below one. */
export function milliseconds(us: number): string {
  const ms = us / 1_000;
  return `${ms.toFixed(ms < 1 ? 2 : ms < 10 ? 1 : 0)} ms`;
}

/** The meaning of results (RFC 6733 section 7.1, RFC 8506 section 9). */
const MEANS: Record<number, string> = {
  0: "All results that are rare",
  2001: "Success",
  3001: "The command is unknown",
  3002: "No connection leads to the destination",
  3003: "The realm is not served",
  3004: "Too busy",
  3005: "The request came by here before",
  3007: "The application is unknown",
  3008: "The flags of the header do not fit the command",
  3009: "The flags of an AVP do not fit it",
  3010: "Unknown peer",
  4010: "The subscriber may not use the service",
  4011: "The service costs nothing, or is charged elsewhere",
  4012: "Credit limit reached",
  5001: "An AVP that must be understood is not known",
  5002: "Unknown session",
  5004: "An AVP has a value that it cannot have",
  5005: "An AVP is missing",
  5009: "An AVP is there too often",
  5012: "Unable to comply",
  5030: "No account has the subscriber",
  5031: "The service has no price",
};

/** The marks of results by their first digit: failures that may pass are less grave. */
const MARKS: Record<number, string> = { 3: "major", 4: "minor", 5: "major" };

/** Returns the meaning of a result, and its mark. A success has none. */
export function meaningOf(code: number) {
  const first = Math.floor(code / 1_000);
  return { means: MEANS[code], mark: first === 2 ? null : (MARKS[first] ?? "warning") };
}

/** Returns how often a result was answered, in words, with its meaning and its mark. */
export const resultOf = ({ code, count: many }: PeerResult) => ({
  text: `${code === 0 ? "others" : code}: ${count(many)}`,
  ...meaningOf(code),
});
