/** The times that plots show: a part of what was loaded, in seconds since 1970. */

export interface Range {
  from: number;
  to: number;
}

/** The shortest range. The gateway has a value a second. */
const LENGTH_MIN = 10;

const lengthOf = ({ from, to }: Range) => to - from;

/** Moves a range into the bounds, and shortens it if they are shorter. */
export function within({ from, to }: Range, bounds: Range): Range {
  const length = Math.min(to - from, lengthOf(bounds));
  const start = Math.max(bounds.from, Math.min(from, bounds.to - length));
  return { from: start, to: start + length };
}

/** Returns the range with another length and the same middle: a factor below 1 shows less. */
export function scaled(range: Range, factor: number, bounds: Range): Range {
  const middle = (range.from + range.to) / 2;
  const half = Math.max(LENGTH_MIN, lengthOf(range) * factor) / 2;
  return within({ from: Math.round(middle - half), to: Math.round(middle + half) }, bounds);
}

/** Returns the range moved by a part of its length: a negative part is earlier. */
export function moved(range: Range, part: number, bounds: Range): Range {
  const by = Math.round(lengthOf(range) * part);
  return within({ from: range.from + by, to: range.to + by }, bounds);
}

/** Returns the range that an address has, or null if it has none within the bounds. */
export function rangeOf(from: string, to: string, bounds: Range): Range | null {
  const range = { from: Number(from), to: Number(to) };
  const isRange = /^\d+$/.test(from) && /^\d+$/.test(to) && lengthOf(range) >= LENGTH_MIN;
  return isRange && range.to > bounds.from && range.from < bounds.to ? within(range, bounds) : null;
}

/** Returns the values whose times are in the range. */
export function valuesIn<T>(at: readonly number[], values: readonly T[], { from, to }: Range): T[] {
  return values.filter((_, place) => at[place]! >= from && at[place]! <= to);
}
