/** The times on the axis of a picture. */

/** Formats a time on the axis, in UTC: the date at midnight, and seconds unless all ticks are whole minutes. */
export function clock(tick: number, ticks: readonly number[]): string {
  const at = new Date(tick * 1000).toISOString();
  if (tick % 86_400 === 0) return at.slice(5, 10);
  return ticks.some((each) => each % 60 !== 0) ? at.slice(11, 19) : at.slice(11, 16);
}
