/** When the alerts of a case were, by rule: what a picture of them needs. */
import type { FraudAlert } from "../api/types";

/** The alerts of a rule. */
export interface Lane {
  rule: string;
  /** The most points of its alerts: those that count for the case. */
  points: number;
  alerts: { alert: FraudAlert; /** From 0 at the left to 1 at the right. */ place: number }[];
}

export interface TimeLine {
  /** The first and the last alert, in seconds since 1970. */
  from: number;
  to: number;
  /** The rule with the most points first. */
  lanes: Lane[];
  ticks: { at: number; place: number }[];
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The distances of ticks, in seconds. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((days) => days * DAY),
];

/** More would not be readable in a narrow window. */
export const TICKS_MAX = 6;

/** The part of the width before the first and after the last alert, so that their marks are within the picture. */
const MARGIN = 0.03;

/** The times shown on each side of alerts that were at the same second. */
const ALONE_S = 30;

/** Returns the picture of alerts, or null if there are none. */
export function timeLineOf(alerts: readonly FraudAlert[]): TimeLine | null {
  if (alerts.length === 0) return null;
  const times = alerts.map(secondsOf);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const [begin, end] = from === to ? [from - ALONE_S, to + ALONE_S] : [from, to];
  const place = (at: number) => MARGIN + ((at - begin) / (end - begin)) * (1 - 2 * MARGIN);
  const lanes = [...new Set(alerts.map(({ rule }) => rule))].map((rule): Lane => {
    const own = alerts.filter((alert) => alert.rule === rule);
    return {
      rule,
      points: Math.max(...own.map(({ score }) => score)),
      alerts: own.map((alert) => ({ alert, place: place(secondsOf(alert)) })),
    };
  });
  lanes.sort((one, other) => other.points - one.points || one.rule.localeCompare(other.rule, "en"));
  return { from, to, lanes, ticks: ticksIn(begin, end).map((at) => ({ at, place: place(at) })) };
}

const secondsOf = ({ at }: FraudAlert) => Date.parse(at) / 1000;

/** Returns round times from the beginning to the end, a few at most. */
export function ticksIn(begin: number, end: number): number[] {
  const step = STEPS.find((each) => (end - begin) / each <= TICKS_MAX - 1) ?? end - begin;
  const ticks: number[] = [];
  for (let at = Math.ceil(begin / step) * step; at <= end; at += step) ticks.push(at);
  return ticks;
}
