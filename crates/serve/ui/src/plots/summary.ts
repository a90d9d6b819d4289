/** A plot in words, for screen readers and for exact values. */

export interface Summary {
  last: number | null;
  most: number | null;
  mean: number | null;
}

export function summary(values: readonly (number | null)[]): Summary {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { last: null, most: null, mean: null };
  return {
    last: known.at(-1)!,
    // Without spread: a day has more values than a call can have arguments.
    most: known.reduce((most, value) => Math.max(most, value)),
    mean: known.reduce((sum, value) => sum + value, 0) / known.length,
  };
}
