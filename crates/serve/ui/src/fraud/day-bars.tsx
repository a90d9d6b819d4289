/** A number for each day, as bars: the days without any are there, too. */
import "../styles/day-bars.css";

import { count } from "../parts/numbers";

const DAY_MS = 86_400_000;

/** More days than these are not told apart. */
const DAYS_MAX = 92;

export interface DayValue {
  /** Such as `2026-11-26`. */
  day: string;
  value: number;
}

/** Returns a value for each day from the first to the last one, the last 92 at most. */
export function everyDay(values: readonly DayValue[]): DayValue[] {
  const known = new Map(values.map(({ day, value }) => [day, value]));
  const times = [...known.keys()].map((day) => Date.parse(day)).filter((at) => !Number.isNaN(at));
  if (times.length === 0) return [];
  const [last, first] = [Math.max(...times), Math.min(...times)];
  const from = Math.max(first, last - (DAYS_MAX - 1) * DAY_MS);
  return Array.from({ length: (last - from) / DAY_MS + 1 }, (_, place) => {
    const day = new Date(from + place * DAY_MS).toISOString().slice(0, 10);
    return { day, value: known.get(day) ?? 0 };
  });
}

export function DayBars({ label, values }: { label: string; values: readonly DayValue[] }) {
  const days = everyDay(values);
  const most = Math.max(1, ...days.map(({ value }) => value));
  return (
    <figure className="day-bars">
      <figcaption>
        {label}, by day in UTC: {count(most)} at most
      </figcaption>
      <ol>
        {days.map(({ day, value }) => (
          <li key={day} title={`${day}: ${count(value)}`}>
            <span className="day-bar" style={{ height: `${(100 * value) / most}%` }} />
            <span className="unseen">{`${day}: ${count(value)}`}</span>
          </li>
        ))}
      </ol>
      <p className="day-ends" aria-hidden="true">
        <span>{days[0]?.day}</span>
        <span>{days.at(-1)?.day}</span>
      </p>
    </figure>
  );
}
