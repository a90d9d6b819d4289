/** Durations in words. */

const PARTS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** Returns seconds as a duration: `2 h 46 min 40 s`. */
export function lasting(seconds: number): string {
  const parts: string[] = [];
  let rest = seconds;
  for (const [of, name] of PARTS) {
    const many = Math.floor(rest / of);
    rest -= many * of;
    if (many > 0) parts.push(`${many} ${name}`);
  }
  return parts.length === 0 ? "0 s" : parts.join(" ");
}
