/** Times in the gateway's format. */

export const minutes = (now: number, many: number) =>
  new Date(now - many * 60_000).toISOString().replace(/\.\d+Z/, "Z");

export type At = (minutes: number) => string;
