/** The alerts of rules in a replay: how many a day, whom a rule would find no more or in addition, and what people have decided. */
import type { ReplayAlertDifference, ReplayReport, ReplayRuleAlerts } from "../api/types";
import { Count } from "../parts/count";
import { Sublist } from "../parts/list";
import type { Column } from "../parts/table";
import { differingFirst } from "./words";

const aDay = (alerts: number, days: number) => (alerts / Math.max(days, 1)).toFixed(1);

const number = (name: string, of: (row: ReplayRuleAlerts) => number): Column<ReplayRuleAlerts> => ({
  name,
  cell: (row) => <Count of={of(row)} />,
  value: of,
  isNumber: true,
});

const rules = (days: number): Column<ReplayRuleAlerts>[] => [
  { name: "Rule", cell: ({ rule }) => rule, value: ({ rule }) => rule, isWide: true },
  { name: "A day now", cell: ({ before }) => aDay(before, days), value: ({ before }) => before, isNumber: true },
  { name: "As tried", cell: ({ after }) => aDay(after, days), value: ({ after }) => after, isNumber: true },
  number("Found no more", ({ only_before }) => only_before),
  number("Found in addition", ({ only_after }) => only_after),
  number("Fraud now", ({ fraud_before }) => fraud_before),
  number("As tried ", ({ fraud_after }) => fraud_after),
  number("No fraud now", ({ not_fraud_before }) => not_fraud_before),
  number("As tried  ", ({ not_fraud_after }) => not_fraud_after),
];

const DECISIONS: { [decision: string]: string } = { fraud: "fraud", "not-fraud": "no fraud", unsure: "unsure" };

const KEYS: Column<ReplayAlertDifference>[] = [
  {
    name: "Would be",
    cell: ({ change }) => (change === "only-before" ? "found no more" : "found in addition"),
    value: ({ change }) => change,
  },
  { name: "Rule", cell: ({ rule }) => rule, value: ({ rule }) => rule },
  { name: "Whom", cell: ({ subject, key }) => `${subject} ${key}`, value: ({ key }) => key },
  {
    name: "Decided",
    cell: ({ decision }) =>
      decision == null ? <span className="muted">–</span> : <b>{DECISIONS[decision] ?? decision}</b>,
    value: ({ decision }) => decision ?? "",
  },
  { name: "Why", cell: ({ condition }) => <span className="fixed break">{condition}</span>, isWide: true },
];

export function ReplayAlerts({ report }: { report: ReplayReport }) {
  const { alerts, alert_days, alert_keys } = report;
  if (alerts.length === 0) return null;
  const differs = (row: ReplayRuleAlerts) => row.before !== row.after || row.only_before + row.only_after > 0;
  return (
    <section className="section" aria-label="Alerts of rules">
      <h2>Alerts of rules</h2>
      <p className="muted">“Fraud” and “no fraud” count the keys that people have decided about.</p>
      <Sublist
        label="Alerts by rule"
        columns={rules(alert_days)}
        rows={differingFirst(alerts, differs)}
        rowKey={({ node, rule }) => `${node} ${rule}`}
      />
      {alert_keys.length > 0 && (
        <Sublist
          label="Whom rules would find no more, or in addition"
          columns={KEYS}
          rows={alert_keys}
          rowKey={({ node, rule, subject, key }) => `${node} ${rule} ${subject} ${key}`}
        />
      )}
    </section>
  );
}
