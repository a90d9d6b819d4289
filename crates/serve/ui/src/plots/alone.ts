/** The places of values without neighbours: no line leads to them, so a plot has them as dots. */
export const alone = (values: readonly (number | null | undefined)[]): number[] =>
  values.flatMap((each, place) =>
    each != null && values[place - 1] == null && values[place + 1] == null ? [place] : [],
  );
