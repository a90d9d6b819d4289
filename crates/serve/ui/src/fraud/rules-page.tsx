/** What became of the alerts of each rule: how often its cases were fraud, and how long decisions took. */
import { gateway } from "../api/gateway";
import type { FraudRule } from "../api/types";
import { Count } from "../parts/count";
import { lasting } from "../parts/lasting";
import { List } from "../parts/list";
import { useLoad } from "../parts/load";
import { count } from "../parts/numbers";
import { Empty } from "../parts/page";
import { PeriodFilter, usePeriod } from "../parts/period";
import type { Column } from "../parts/table";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { FraudFrame } from "./fraud-frame";

/** Returns whether all alerts of a rule were found while it was tried out. */
const isTriedOut = ({ alerts, shadow }: FraudRule) => alerts === 0 && shadow > 0;

const figure = (name: string, of: (rule: FraudRule) => number): Column<FraudRule> => ({
  name,
  isNumber: true,
  cell: (rule) => <Count of={of(rule)} />,
  value: of,
  isDescendingFirst: true,
});

const COLUMNS: Column<FraudRule>[] = [
  {
    name: "Rule",
    isWide: true,
    cell: (rule) => (
      <>
        {visible(rule.rule)}
        {isTriedOut(rule) && <span className="below muted">tried out: opens no case</span>}
      </>
    ),
    value: ({ rule }) => rule,
  },
  { name: "Node", isSpare: true, cell: ({ node }) => node, value: ({ node }) => node },
  {
    name: "Alerts",
    isNumber: true,
    cell: ({ rule, alerts }) => <Those of={alerts} href={`/fraud/alerts?rule=${encodeURIComponent(rule)}`} />,
    value: ({ alerts }) => alerts,
    isDescendingFirst: true,
  },
  {
    name: "Tried out",
    isNumber: true,
    cell: ({ rule, shadow }) => <Those of={shadow} href={`/fraud/alerts?rule=${encodeURIComponent(rule)}`} />,
    value: ({ shadow }) => shadow,
    isDescendingFirst: true,
  },
  {
    name: "Cases",
    isNumber: true,
    cell: ({ rule, cases }) => <Those of={cases} href={`/fraud?state=all&rule=${encodeURIComponent(rule)}`} />,
    value: ({ cases }) => cases,
    isDescendingFirst: true,
  },
  {
    name: "Open",
    isNumber: true,
    cell: ({ rule, open }) => <Those of={open} href={`/fraud?rule=${encodeURIComponent(rule)}`} />,
    value: ({ open }) => open,
    isDescendingFirst: true,
  },
  figure("Fraud", ({ fraud }) => fraud),
  figure("Not fraud", ({ not_fraud }) => not_fraud),
  figure("Unsure", ({ unsure }) => unsure),
  {
    name: "Precision",
    isNumber: true,
    cell: ({ precision_percent: percent }) => (percent == null ? "" : `${percent} %`),
    value: ({ precision_percent }) => precision_percent ?? null,
    isDescendingFirst: true,
  },
  {
    name: "Time to decide",
    isNumber: true,
    cell: ({ seconds_to_decide: seconds }) => (seconds == null ? "" : lasting(seconds)),
    value: ({ seconds_to_decide }) => seconds_to_decide ?? null,
    isDescendingFirst: true,
  },
];

/** A number that leads to what it counts. */
const Those = ({ of, href }: { of: number; href: string }) =>
  of === 0 ? <Count of={0} /> : <Link href={href}>{count(of)}</Link>;

export function RulesPage() {
  const period = usePeriod();
  const loaded = useLoad(() => gateway.fraudRules(period.bounds(Date.now())), [period.key]);
  return (
    <FraudFrame lead="What became of the alerts of each rule. The precision is the share of fraud among the cases that are known to be fraud or not.">
      <div className="filters">
        <PeriodFilter />
      </div>
      <List
        problem={loaded.problem}
        again={loaded.again}
        rows={loaded.value?.rules ?? null}
        label="Rules"
        columns={COLUMNS}
        rowKey={({ node, rule }) => `${node} ${rule}`}
        empty={
          period.isChosen ? (
            <Empty icon="fraud" title="No rule found anything then">
              <p>A rule is listed here with its alerts of the period. Choose a longer one.</p>
            </Empty>
          ) : (
            <Empty icon="fraud" title="No rule has found anything yet">
              <p>
                A rule is a file in the folder that a fraud node of the flow names. It is listed here once it has found
                something.
              </p>
            </Empty>
          )
        }
      />
    </FraudFrame>
  );
}
