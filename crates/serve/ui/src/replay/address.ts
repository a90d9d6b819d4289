/** Returns the address that tries a change: a draft of a file, or a version. */
export function replayAddress(what: { draft: string } | { version: number }): string {
  const words = new URLSearchParams();
  for (const [word, value] of Object.entries(what)) words.set(word, String(value));
  return `/replay?${words.toString()}`;
}
