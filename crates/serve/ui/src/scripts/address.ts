/** Returns the address of a script, and of a place in it. */
export function scriptAddress(file: string, place?: { line: number; column: number }): string {
  const words = new URLSearchParams({ file });
  if (place !== undefined) {
    words.set("line", String(place.line));
    words.set("column", String(place.column));
  }
  return `/scripts?${words.toString()}`;
}
