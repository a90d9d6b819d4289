/** A plot in words, for those who do not see it, and for those who want a number. */

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
    // Not by spreading: a day has more values than a call may have arguments.
    most: known.reduce((most, value) => Math.max(most, value)),
    mean: known.reduce((sum, value) => sum + value, 0) / known.length,
  };
}
