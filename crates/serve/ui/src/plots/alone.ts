/** Returns the indexes of values without neighbours. No line reaches them, so a plot draws dots. */
export const alone = (values: readonly (number | null | undefined)[]): number[] =>
  values.flatMap((each, place) =>
    each != null && values[place - 1] == null && values[place + 1] == null ? [place] : [],
  );
