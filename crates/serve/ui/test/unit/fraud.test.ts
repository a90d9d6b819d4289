/** Cases of fraud: their alerts in time, and the words for what is decided. */
import { describe, expect, it } from "vitest";

import type { ActionState, FraudAlert, FraudCase, RequestedAction } from "../../src/api/types";
import {
  type ActionDeed,
  changedInWords,
  isMoving,
  mayDo,
  namesOf,
  stageOf,
  stateInWords,
  waitsFor,
} from "../../src/fraud/action-words";
import { assignedInWords } from "../../src/fraud/assign-dialog";
import { partsOf } from "../../src/fraud/condition";
import { decidedInWords } from "../../src/fraud/decide-dialog";
import { approvalInWords, isOverdue } from "../../src/fraud/rule-actions";
import { TICKS_MAX, ticksIn, timeLineOf } from "../../src/fraud/time-line";
import { decisionInWords, nextOf, reasonOf, stepInWords } from "../../src/fraud/words";

const alert = (at: string, rule = "wangiri", score = 70) => ({ at, rule, score }) as FraudAlert;

describe("the time line of alerts", () => {
  const line = (...alerts: FraudAlert[]) => timeLineOf(alerts)!;

  it("is none without alerts", () => expect(timeLineOf([])).toBeNull());
  it("has a lane for each rule, that with the most points first", () => {
    const { lanes } = line(
      alert("2026-11-30T10:00:00Z", "a", 20),
      alert("2026-11-30T11:00:00Z", "b", 30),
      alert("2026-11-30T12:00:00Z", "a", 50),
    );
    expect(lanes.map(({ rule, points, alerts }) => [rule, points, alerts.length])).toEqual([
      ["a", 50, 2],
      ["b", 30, 1],
    ]);
  });
  it("has the first alert at the left and the last at the right, whatever their order", () => {
    const { lanes, from, to } = line(
      alert("2026-11-30T12:00:00Z"),
      alert("2026-11-30T10:00:00Z"),
      alert("2026-11-30T11:00:00Z"),
    );
    const [last, first, middle] = lanes[0]!.alerts.map(({ place }) => place);
    expect(first).toBeCloseTo(0.03);
    expect(middle).toBeCloseTo(0.5);
    expect(last).toBeCloseTo(0.97);
    expect(to - from).toBe(7200);
  });
  it("has alerts of one second in the middle", () => {
    const { lanes } = line(alert("2026-11-30T12:00:00Z"), alert("2026-11-30T12:00:00Z"));
    expect(lanes[0]!.alerts.map(({ place }) => place)).toEqual([0.5, 0.5]);
  });
});

describe("the ticks of a time line", () => {
  const at = (text: string) => Date.parse(text) / 1000;
  const ticks = (from: string, to: string) =>
    ticksIn(at(from), at(to)).map((tick) => new Date(tick * 1000).toISOString().slice(0, 16));

  it("are round times", () =>
    expect(ticks("2026-11-30T09:50:00Z", "2026-11-30T12:10:00Z")).toEqual([
      "2026-11-30T10:00",
      "2026-11-30T10:30",
      "2026-11-30T11:00",
      "2026-11-30T11:30",
      "2026-11-30T12:00",
    ]));
  it("are a few at most, for seconds and for years", () => {
    for (let length = 1; length < 10 * 365 * 86_400; length = Math.ceil(length * 1.3)) {
      const found = ticksIn(1_764_500_003, 1_764_500_003 + length).length;
      expect(found, String(length)).toBeLessThanOrEqual(TICKS_MAX);
    }
  });
});

it("a condition has a line for each of its parts", () => {
  expect(partsOf("numbers 40 >= 40 && short 40 * 10 >= calls 40 * 9")).toEqual([
    "numbers 40 >= 40",
    "&& short 40 * 10 >= calls 40 * 9",
  ]);
  expect(partsOf("events 2 >= 2")).toEqual(["events 2 >= 2"]);
  expect(partsOf("a 1 > 0 || b 2 > 1 && c 3 > 2").join(" ")).toBe("a 1 > 0 || b 2 > 1 && c 3 > 2");
});

describe("what was done, in words", () => {
  it.each([
    ["assigned", "anna", "assigned to anna", ""],
    ["assigned", "", "assigned to no one", ""],
    ["not-fraud", "a call centre", "decided: not fraud", "a call centre"],
    ["reopened", "it goes on", "opened again", "it goes on"],
    ["remark", "as in May", "remark", "as in May"],
    ["action", "bar: calls 3: again", "action requested: bar", "calls 3: again"],
    // Of a newer gateway.
    ["barred", "for a day", "barred", "for a day"],
  ])("%s %s", (step, remark, words, reason) => {
    expect(stepInWords({ step, remark })).toBe(words);
    expect(reasonOf({ step, remark })).toBe(reason);
  });
  it("a decision that is not known stays as it is", () => expect(decisionInWords("later")).toBe("later"));
  it("cases that were decided before are counted", () => {
    expect(decidedInWords(3, 3, "fraud")).toBe("3 cases decided: fraud.");
    expect(decidedInWords(3, 2, "not-fraud")).toBe("2 cases decided: not fraud. 1 case had been decided before.");
    expect(decidedInWords(1, 0, "unsure")).toBe("1 case had been decided before.");
  });
  it("an assignment that changes nothing says so", () => {
    expect(assignedInWords(2, "anna")).toBe("2 cases assigned to anna.");
    expect(assignedInWords(1, null)).toBe("1 case assigned to no one.");
    expect(assignedInWords(0, "anna")).toContain("Nothing changed");
  });
});

it("the next case is free, or the user's own", () => {
  const open = (id: number, assigned: string | null = null) => ({ id, assigned }) as FraudCase;
  const queue = [open(5), open(7, "nils"), open(6, "otto"), open(9)];
  expect(nextOf(queue, 5, "otto")?.id).toBe(6);
  expect(nextOf(queue, 5, "anna")?.id).toBe(9);
  expect(nextOf(queue, 9, "anna")?.id).toBe(5);
  expect(nextOf([open(5)], 5, "anna")).toBeUndefined();
});

describe("an action", () => {
  const action = (state: ActionState, more: Partial<RequestedAction> = {}) =>
    ({ state, approved_by: [], tries: 0, ...more }) as unknown as RequestedAction;
  const deeds = (of: RequestedAction) =>
    (["approve", "refuse", "undo"] satisfies ActionDeed[]).filter((deed) => mayDo(deed, of, "anna"));

  it.each<[ActionState, string, ActionDeed[]]>([
    ["new", "sending", ["refuse"]],
    ["waiting", "people", ["approve", "refuse"]],
    ["held", "people", ["approve", "refuse"]],
    ["due", "sending", ["refuse"]],
    ["sending", "sending", ["refuse"]],
    ["done", "finished", ["undo"]],
    ["refused", "finished", []],
    ["repeated", "finished", []],
    ["undo", "sending", []],
    ["undoing", "sending", []],
    ["undone", "finished", []],
  ])("that is %s", (state, stage, may) => {
    expect(stageOf({ state })).toBe(stage);
    expect(deeds(action(state))).toEqual(may);
  });
  it("of a state that is not known is finished, and nothing is done with it", () => {
    expect(stateInWords("parked")).toMatchObject({ word: "parked", stage: "finished" });
    expect(deeds(action("parked" as ActionState))).toEqual([]);
  });
  it("is not approved twice by a user", () => {
    expect(deeds(action("waiting", { approved_by: ["nils"] }))).toEqual(["approve", "refuse"]);
    expect(deeds(action("waiting", { approved_by: ["anna"] }))).toEqual(["refuse"]);
    expect(deeds(action("waiting", { approved_by: ["nils", "otto"] }))).toEqual(["refuse"]);
  });
  it("says why it waits", () => {
    expect(waitsFor(action("held"))).toBe("there were too many actions");
    expect(waitsFor(action("held", { problem: "its alert is too old" }))).toBe("its alert is too old");
    expect(waitsFor(action("waiting"))).toBe("needs approval");
    expect(waitsFor(action("waiting", { approved_by: ["anna"] }))).toBe("needs a second approval");
    expect(waitsFor(action("waiting", { rule_waits: true }))).toBe("the version of its rule is not approved");
    expect(waitsFor(action("done"))).toBeNull();
  });
  it("moves until it has failed, or all are stopped", () => {
    const moves = (state: ActionState, tries: number, isStopped = false) => isMoving({ state, tries }, isStopped);
    expect(moves("due", 0)).toBe(true);
    expect(moves("sending", 1)).toBe(true);
    expect(moves("sending", 2)).toBe(false);
    expect(moves("waiting", 0)).toBe(false);
    expect(moves("due", 0, true)).toBe(false);
    expect(moves("new", 0, true)).toBe(true);
  });
  it("that changed meanwhile is counted", () => {
    expect(changedInWords("approve", 2, 2)).toBe("2 actions approved.");
    expect(changedInWords("refuse", 3, 2)).toBe("2 actions refused. 1 action had changed meanwhile.");
    expect(changedInWords("undo", 1, 0)).toBe("1 action had changed meanwhile.");
  });
});

describe("a rule", () => {
  const approved = (needed: number, ...users: string[]) =>
    approvalInWords({ approvals_needed: needed, approvals: users.map((who) => ({ who, at: "", because: "" })) });

  it("has the approvals that it needs, or not", () => {
    expect(approved(0)).toBeNull();
    expect(approved(1)).toBe("needs approval");
    expect(approved(2, "anna")).toBe("1 of 2 approvals");
    expect(approved(2, "anna", "otto")).toBe("approved");
  });
  it("is overdue after its day", () => {
    const now = new Date("2026-11-30T12:00:00Z");
    expect(isOverdue("2026-11-29", now)).toBe(true);
    expect(isOverdue("2026-11-30", now)).toBe(false);
    expect(isOverdue("the summer", now)).toBe(false);
  });
  it("names its actions, each once", () => {
    const running = (...actions: string[]) => ({ running: { actions } });
    expect(namesOf([running("notify", "bar"), { running: null }, running("bar")])).toEqual(["bar", "notify"]);
  });
});
