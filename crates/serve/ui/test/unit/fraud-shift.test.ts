/** What waits for a person now. */
import { describe, expect, it } from "vitest";

import type { Alarm, FraudCase, FraudRule, Graph, RequestedAction, Version } from "../../src/api/types";
import { type ShiftFound, hasNoRows, quietInWords, shiftOf, shortTime, waits } from "../../src/fraud/shift";

const NONE: ShiftFound = { cases: [], actions: [], rules: [], versions: [], alarms: [] };

const graph = {
  nodes: [
    { name: "calls", kind: "fraud" },
    { name: "rate", kind: "rating" },
  ],
} as unknown as Graph;

const shift = (found: Partial<Record<keyof ShiftFound, unknown[]>>) =>
  shiftOf({ ...NONE, ...found } as ShiftFound, graph);

describe("the shift", () => {
  it("has critical cases, the oldest first, and the number of free ones", () => {
    const of = (id: number, severity: string, opened: string, assigned: string | null) =>
      ({ id, severity, opened, assigned }) as FraudCase;
    const { critical, free } = shift({
      cases: [
        of(3, "critical", "2026-11-30T12:00:00Z", "otto"),
        of(2, "major", "2026-11-30T10:00:00Z", null),
        of(1, "critical", "2026-11-30T11:00:00Z", null),
      ],
    });
    expect(critical.map(({ id }) => id)).toEqual([1, 3]);
    expect(free).toBe(2);
  });

  it("has actions that wait for people, and those that fail", () => {
    const of = (id: number, state: string, problem: string | null = null) =>
      ({ id, state, problem, requested: `2026-11-30T1${id}:00:00Z` }) as RequestedAction;
    const { waiting, failing } = shift({
      actions: [
        of(5, "held"),
        of(4, "due"),
        of(3, "waiting"),
        of(2, "sending", "refused"),
        of(1, "undoing", "no such"),
      ],
    });
    expect(waiting.map(({ id }) => id)).toEqual([3, 5]);
    expect(failing.map(({ id }) => id)).toEqual([2, 1]);
  });

  it("has rules whose version waits, and proposals of the flow", () => {
    const of = (rule: string, needed: number, approvals: number) =>
      ({ rule, running: { approvals_needed: needed, approvals: Array(approvals).fill({}) } }) as unknown as FraudRule;
    const { rules, proposed } = shift({
      rules: [of("a", 2, 1), of("b", 1, 1), of("c", 0, 0), { rule: "gone", running: null } as unknown as FraudRule],
      versions: [
        { version: 2, proposal: { who: "anna" } },
        { version: 1, proposal: null },
      ] as unknown as Version[],
    });
    expect(rules.map(({ rule }) => rule)).toEqual(["a"]);
    expect(proposed.map(({ version }) => version)).toEqual([2]);
  });

  it("has alarms of fraud nodes and of actions, and no others", () => {
    const of = (kind: string, subject: string) => ({ kind, subject }) as Alarm;
    const { alarms } = shift({
      alarms: [of("duplicates-forgotten", "calls"), of("action-failing", "bar"), of("counters-orphaned", "rate")],
    });
    expect(alarms.map(({ kind }) => kind)).toEqual(["duplicates-forgotten", "action-failing"]);
  });
});

it("free cases wait, too, when nothing else does", () => {
  const free = { severity: "major", opened: "2026-11-30T10:00:00Z", assigned: null } as FraudCase;
  const one = shift({ cases: [free] });
  expect(hasNoRows(one)).toBe(true);
  expect(quietInWords(one)).toBe("1 open case is assigned to no one. Nothing else waits.");
  expect(quietInWords({ free: 1_200 })).toBe("1,200 open cases are assigned to no one. Nothing else waits.");
  expect(quietInWords(shift({}))).toBe("Nothing waits for a person.");
  expect(hasNoRows(shift({ cases: [{ ...free, severity: "critical" }] }))).toBe(false);
});

describe("how long something waits", () => {
  const now = Date.parse("2026-11-30T12:00:00Z");
  for (const [since, expected] of [
    ["2026-11-30T12:00:30Z", "0 min"],
    ["2026-11-30T11:01:01Z", "58 min"],
    ["2026-11-30T09:57:00Z", "2 h 3 min"],
    ["2026-11-28T12:00:00Z", "2 days"],
  ] as const)
    it(`is ${expected}`, () => expect(waits(since, now)).toBe(expected));
});

it("an alert of another day has its day", () => {
  const now = Date.parse("2026-11-30T12:00:00Z");
  expect(shortTime("2026-11-30T09:08:07Z", now)).toBe("09:08:07");
  expect(shortTime("2026-11-29T23:59:59Z", now)).toBe("11-29 23:59");
});
