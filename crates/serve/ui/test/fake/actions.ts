/** The rules that run and the actions that were requested, in the pretended gateway. */
import type { RequestedAction, RunningRule } from "../../src/api/types.ts";
import type { At } from "./time.ts";

/** What the flow file says of an action. */
export interface FakeAction {
  /** How many people approve it. */
  people: number;
}

/** The actions of the flow. No rule requests the last one. */
export const ACTIONS: Record<string, FakeAction> = {
  bar: { people: 1 },
  block: { people: 2 },
  notify: { people: 0 },
  "open-ticket": { people: 1 },
};

const KEY = "0099000001\u202e";

export function requestedActions(at: At): RequestedAction[] {
  const action = (id: number, minutes: number, more: Partial<RequestedAction>): RequestedAction => ({
    id,
    action: "bar",
    state: "waiting",
    node: "calls",
    subject: "caller",
    key: "0099000009",
    requested: at(minutes),
    rule: "wangiri",
    rule_version: "5f1c0a7be24d9903",
    requested_by: null,
    because: "numbers 40 >= 40 && short 40 * 10 >= calls 40 * 9",
    approved_by: [],
    tries: 0,
    done: null,
    problem: null,
    ...more,
  });
  const limit = { rule: "risk-ranges", because: 'minutes 512 >= 500 && record.called "88213000047"' };
  const person = { rule: null, rule_version: null, requested_by: "nils" };
  const sent = { action: "notify", tries: 1 };
  return [
    action(63, 4, { key: KEY }),
    action(62, 30, { key: KEY, action: "block", ...limit, rule_waits: true }),
    action(61, 33, { action: "block", ...person, because: "its carrier rang", approved_by: ["nils"] }),
    action(60, 41, { state: "held", key: "0099000010" }),
    action(59, 42, {
      ...sent,
      state: "sending",
      key: "0099000011",
      tries: 4,
      problem: "could not connect to 10.1.0.7:8443: connection refused",
    }),
    action(58, 44, {
      state: "undoing",
      key: "0099000012",
      tries: 2,
      problem: "the program ended with 1: no such number",
    }),
    action(57, 64, { ...sent, state: "done", key: KEY, done: at(63) }),
    action(56, 70, { state: "done", key: "0099000013", approved_by: ["anna"], tries: 1, done: at(66) }),
    action(55, 80, { state: "refused", key: "0099000014", problem: "the customer is known" }),
    action(54, 90, { state: "repeated", key: "0099000013" }),
    action(53, 95, { state: "undone", key: "0099000015", approved_by: ["nils"], tries: 1, done: at(85) }),
    ...Array.from({ length: 52 }, (_, place) =>
      action(52 - place, 200 + place, {
        ...sent,
        state: "done",
        key: `00990001${String(place).padStart(2, "0")}`,
        done: at(200 + place),
      }),
    ),
  ];
}

/** The rules that run, by name. One of them has found nothing yet. */
export function runningRules(at: At): Record<string, RunningRule> {
  const rule = (title: string, version: string, more: Partial<RunningRule> = {}): RunningRule => ({
    version,
    subject: "caller",
    fraud_type: null,
    actions: [],
    approvals_needed: 0,
    approvals: [],
    title,
    because: null,
    owner: "fraud@example.org",
    until: null,
    ...more,
  });
  return {
    "dear-at-night": rule("long calls to dear numbers at night", "77ab03e2c90d1f58", {
      actions: ["notify"],
      until: "2999-12-31",
    }),
    "new-and-dear": rule("a new number calls dear ones", "0f6e2b91aa774c3d", { shadow: true, actions: ["bar"] }),
    "risk-ranges": rule("many minutes to a range of risk", "c4d10e9f6b5a2837", {
      fraud_type: "irsf",
      actions: ["block", "notify"],
      approvals_needed: 2,
      until: "2026-06-30",
      because: "the losses of May",
    }),
    wangiri: rule("one number rings many, and hangs up", "5f1c0a7be24d9903", {
      fraud_type: "wangiri",
      actions: ["bar", "notify"],
      approvals_needed: 2,
      approvals: [
        { who: "anna", at: at(60 * 24 * 41), because: "tried out for two weeks" },
        { who: "nils", at: at(60 * 24 * 40), because: "agreed" },
      ],
    }),
  };
}

/** The files of the rules, and a table of limits of one of them. */
export const RULE_FILES: Record<string, string> = {
  "rules/dear-at-night.toml": 'about = "caller"\nat-least = 5\nwithin = "1 hour"\nscore = 40\n',
  "rules/limits.csv": "prefix,days,hours,minutes-warning,minutes-critical\n882,,,50,500\n",
  "rules/new-and-dear.toml": 'about = "caller"\nat-least = 3\nwithin = "1 day"\nscore = 60\nmode = "shadow"\n',
  "rules/risk-ranges.toml": 'about = "caller"\nlimits = "limits.csv"\nlimits-by = "record.called"\nscore = 90\n',
  "rules/wangiri.toml":
    'title = "one number rings many"\nabout = "caller"\nat-least = 40\nwithin = "10 minutes"\nscore = 70\n',
};
