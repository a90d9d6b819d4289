/** What waits for a person now: the figures and rows of the page for the shift. */
import type { Alarm, FraudCase, FraudRule, Graph, RequestedAction, RunningRule, Version } from "../api/types";
import { count, moment } from "../parts/numbers";
import { stageOf } from "./action-words";
import { needsApproval } from "./rule-actions";

/** What the gateway answered. */
export interface ShiftFound {
  /** The open cases. */
  cases: readonly FraudCase[];
  /** The actions that are open. */
  actions: readonly RequestedAction[];
  rules: readonly FraudRule[];
  versions: readonly Version[];
  /** The alarms that are raised. */
  alarms: readonly Alarm[];
}

export type WaitingRule = FraudRule & { running: RunningRule };

export interface Shift {
  /** Open critical cases, the oldest first. */
  critical: FraudCase[];
  /** The number of open cases that no one works on. */
  free: number;
  /** Actions that wait for people or are held, the oldest first. */
  waiting: RequestedAction[];
  /** Actions that failed, and are tried again. */
  failing: RequestedAction[];
  /** Rules whose version waits for approval. */
  rules: WaitingRule[];
  /** Versions of the flow that are proposed. */
  proposed: Version[];
  /** Alarms about fraud nodes and actions. */
  alarms: Alarm[];
}

/** Returns what of the answers waits for a person. An alarm is about a fraud node by its subject, or about an action by its kind. */
export function shiftOf({ cases, actions, rules, versions, alarms }: ShiftFound, graph: Graph | null): Shift {
  const nodes = graph?.nodes.filter(({ kind }) => kind === "fraud").map(({ name }) => name) ?? [];
  return {
    critical: cases.filter(({ severity }) => severity === "critical").sort(byText(({ opened }) => opened)),
    free: cases.filter(({ assigned }) => assigned == null).length,
    waiting: actions.filter((each) => stageOf(each) === "people").sort(byText(({ requested }) => requested)),
    failing: actions.filter((each) => stageOf(each) === "sending" && each.problem != null),
    rules: rules.filter((rule): rule is WaitingRule => rule.running != null && needsApproval(rule.running)),
    proposed: versions.filter(({ proposal }) => proposal != null),
    alarms: alarms.filter(({ kind, subject }) => kind.startsWith("action-") || nodes.includes(subject)),
  };
}

/** Returns whether nothing waits that has a row: free cases have a figure alone. */
export const hasNoRows = ({ critical, waiting, failing, rules, proposed, alarms }: Shift): boolean =>
  [critical, waiting, failing, rules, proposed, alarms].every((rows) => rows.length === 0);

/** Says that nothing waits, or only cases that no one works on. */
export function quietInWords({ free }: Pick<Shift, "free">): string {
  if (free === 0) return "Nothing waits for a person.";
  const cases = free === 1 ? "1 open case is" : `${count(free)} open cases are`;
  return `${cases} assigned to no one. Nothing else waits.`;
}

const byText =
  <T>(text: (row: T) => string) =>
  (one: T, other: T) =>
    text(one) < text(other) ? -1 : text(one) > text(other) ? 1 : 0;

/** Formats how long something waits, by its two largest units: it is read from afar. */
export function waits(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes < 60) return `${minutes} min`;
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

/** Formats when an alert was: its time today, or its day and time. All times are UTC. */
export function shortTime(at: string, now: number): string {
  const whole = moment(at);
  const isToday = whole.slice(0, 10) === new Date(now).toISOString().slice(0, 10);
  return isToday ? whole.slice(11) : whole.slice(5, 16);
}
