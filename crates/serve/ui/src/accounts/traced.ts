/** What a trace of messages is of. */

/** A number, a session or a peer; of all messages without any. */
export interface TraceOf {
  number?: string | null;
  session?: string | null;
  peer?: string | null;
}

/** Returns what a trace is of, for reading. */
export function traceOf({ number, session, peer }: TraceOf): string {
  const parts = [
    ["number", number],
    ["session", session],
    ["peer", peer],
  ].flatMap(([what, of]) => (of == null || of === "" ? [] : [`${what} ${of}`]));
  return parts.length === 0 ? "all messages" : parts.join(", ");
}
