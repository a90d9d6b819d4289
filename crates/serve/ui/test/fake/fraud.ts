/** What rules have found, and the cases of it, in the pretended gateway. */
import type { AlertRecord, FraudAlert, FraudCase, FraudCaseStep } from "../../src/api/types.ts";
import type { At } from "./time.ts";

/** A case, and what was done with it. Its alerts are those that have its number. */
export type FakeCase = FraudCase & { steps: FraudCaseStep[] };

const EVIDENCE: AlertRecord[] = [
  { job: 10_430, network_element: "msc-boston", file: "boston-10430.ber", record: 7 },
  { job: 17, network_element: null, file: null, record: 3 },
  { job: 10_432, network_element: "msc-boston", file: "boston-10432.ber", record: 15 },
];

const PAIR = { subject: "pair", score: 60, condition: "events 2 >= 2", rule: "same-number-twice" };

const LIMIT = {
  rule: "risk-ranges",
  score: 90,
  severity: "critical",
  fraud_type: "irsf",
  condition: 'minutes 512 >= 500 && record.called "88213000047"',
};

export function fraudAlerts(at: At): FraudAlert[] {
  const alert = (id: number, minutes: number, key: string, more: Partial<FraudAlert> = {}): FraudAlert => ({
    id,
    digest: id.toString(16).padStart(32, "0"),
    node: "calls",
    rule: "wangiri",
    rule_version: "5f1c0a7be24d9903",
    subject: "caller",
    key,
    at: at(minutes),
    score: 70,
    condition: "numbers 40 >= 40 && short 40 * 10 >= calls 40 * 9",
    job: 10_432,
    network_element: "msc-boston",
    file: "boston-10432.ber",
    record: 15,
    evidence: [],
    severity: "warning",
    fraud_type: "wangiri",
    case: null,
    shadow: false,
    ...more,
  });
  const gone = { network_element: null, file: null, job: 17, record: 3 };
  const pair = (place: number) =>
    alert(10 + place, 100 + place, `0000021712>00000000${47 + place}`, {
      ...PAIR,
      fraud_type: null,
      case: 20 + place,
    });
  return [
    alert(40, 4, "0099000001\u202e", { evidence: EVIDENCE, case: 17 }),
    alert(39, 30, "0099000001\u202e", { ...LIMIT, case: 17 }),
    alert(38, 64, "0099000001\u202e", { evidence: EVIDENCE, case: 17, severity: "minor" }),
    alert(37, 66, "0099000001\u202e", { ...LIMIT, case: 17, severity: "major", score: 50 }),
    alert(36, 125, "0099000001\u202e", { case: 17 }),
    alert(35, 140, "0099000009", { rule: "new-and-dear", shadow: true, fraud_type: null }),
    alert(34, 150, "0099000009"),
    ...Array.from({ length: 14 }, (_, place) => pair(13 - place)),
    alert(2, 60 * 24 * 20, "0099000001\u202e", { ...gone, case: 9 }),
    alert(1, 60 * 24 * 40, "0099000000", { ...gone, case: 8 }),
  ];
}

const RANKS = ["warning", "minor", "major", "critical"];

export function fraudCases(at: At, alerts: readonly FraudAlert[]): FakeCase[] {
  const opened = (id: number, more: Partial<FakeCase> = {}): FakeCase => {
    const own = alerts.filter((alert) => alert.case === id);
    const rules = [...new Set(own.map(({ rule }) => rule))].sort();
    const most = (rule: string) => Math.max(...own.filter((each) => each.rule === rule).map(({ score }) => score));
    return {
      id,
      node: own[0]!.node,
      subject: own[0]!.subject,
      key: own[0]!.key,
      opened: own.at(-1)!.at,
      first: own.at(-1)!.at,
      last: own[0]!.at,
      score: rules.reduce((sum, rule) => sum + most(rule), 0),
      severity: RANKS[Math.max(...own.map(({ severity }) => RANKS.indexOf(severity)))]!,
      alerts: own.length,
      rules,
      fraud_types: [...new Set(own.flatMap(({ fraud_type }) => fraud_type ?? []))].sort(),
      assigned: null,
      decision: null,
      reason: null,
      decided: null,
      decided_by: null,
      steps: [],
      ...more,
    };
  };
  const decided = (id: number, decision: string, reason: string, minutes: number): FakeCase =>
    opened(id, {
      assigned: "nils",
      decision,
      reason,
      decided: at(minutes),
      decided_by: "nils",
      steps: [
        { at: at(minutes + 9), who: "nils", step: "assigned", remark: "nils" },
        { at: at(minutes), who: "nils", step: decision, remark: reason },
      ],
    });
  return [
    opened(17, { steps: [{ at: at(3), who: "nils", step: "remark", remark: "the same range as in May" }] }),
    ...Array.from({ length: 14 }, (_, place) => opened(20 + place, place === 2 ? { assigned: "nils" } : {})),
    decided(9, "fraud", "called back by forty subscribers", 60 * 24 * 19),
    decided(8, "not-fraud", "a call centre", 60 * 24 * 39),
  ];
}
