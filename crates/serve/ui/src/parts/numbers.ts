/** The format of figures: the same everywhere, and aligned in columns. */

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const count = (value: number | bigint) => grouped.format(value);

const STEPS: [number, string][] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/** Formats a number with three digits and a unit from ten thousand on: `9,999`, `10.0k`, `1.02M`. */
export function short(value: number): string {
  if (value < 10_000) return value > 0 && value < 10 ? trimmed(value) : count(value);
  // A value that would round to a thousand of a unit gets the next unit.
  const [least, unit] = STEPS.find(([each]) => value >= each * 0.9995) ?? [1, ""];
  const scaled = value / least;
  return scaled.toFixed(scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2) + unit;
}

const trimmed = (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(1));

export const perSecond = (value: number | null) => (value === null ? "–" : `${short(value)}/s`);

const OCTETS: [number, string][] = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
];

export function octets(value: number): string {
  const step = OCTETS.find(([least]) => value >= least);
  return step === undefined
    ? `${count(value)} B`
    : `${(value / step[0]).toFixed(value / step[0] >= 100 ? 0 : 1)} ${step[1]}`;
}

export const counted = (many: number | bigint, what: string) =>
  `${count(many)} ${what}${many === 1 || many === 1n ? "" : "s"}`;

/** Formats `2026-11-21T14:05:00Z` for reading. All times are UTC, as in the gateway's log. */
export const moment = (at: string) => at.replace("T", " ").replace(/(\.\d+)?Z$/, "");

/** Formats roughly how long ago a time is. */
export function ago(at: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${counted(Math.floor(seconds / 86_400), "day")} ago`;
}
