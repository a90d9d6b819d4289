/** The columns of lists of cases. */
import type { FraudCase, FraudCaseState } from "../api/types";
import { Count } from "../parts/count";
import { count } from "../parts/numbers";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { caseAddress } from "./address";
import { SeverityMark, rankOf } from "./severity";
import { DECISIONS, decisionInWords } from "./words";

export function DecisionMark({ of }: { of: string | null | undefined }) {
  if (of == null) return <span className="mark mark-minor">open</span>;
  const look = DECISIONS.find(({ decision }) => decision === of)?.mark ?? "quiet";
  return <span className={`mark mark-${look}`}>{decisionInWords(of)}</span>;
}

const POINTS: Column<FraudCase> = {
  name: "Points",
  isNumber: true,
  cell: ({ score }) => <strong>{count(score)}</strong>,
  value: ({ score }) => score,
  isDescendingFirst: true,
};

const SEVERITY: Column<FraudCase> = {
  name: "Severity",
  cell: ({ severity }) => <SeverityMark of={severity} />,
  value: ({ severity }) => severity,
  compare: (one, other) => rankOf(one.severity) - rankOf(other.severity),
  isDescendingFirst: true,
};

const KEY: Column<FraudCase> = {
  name: "Key",
  cell: ({ id, subject, key }) => (
    <>
      <Link className="fixed break fraud-key" href={caseAddress(id)} data-row={id}>
        {visible(key)}
      </Link>
      <span className="below muted">
        {visible(subject)}, case {id}
      </span>
    </>
  ),
  value: ({ key }) => key,
};

const NUMBER: Column<FraudCase> = {
  name: "Case",
  cell: ({ id }) => (
    <Link className="whole" href={caseAddress(id)}>
      case {id}
    </Link>
  ),
  value: ({ id }) => id,
};

const RULES: Column<FraudCase> = {
  name: "Rules",
  isWide: true,
  cell: ({ rules, fraud_types }) => (
    <>
      <span className="fraud-rules">{visible(rules.join(", "))}</span>
      {fraud_types.length > 0 && <span className="below muted">{visible(fraud_types.join(", "))}</span>}
    </>
  ),
  value: ({ rules }) => rules.join(", "),
};

const ALERTS: Column<FraudCase> = {
  name: "Alerts",
  isNumber: true,
  cell: ({ alerts }) => <Count of={alerts} />,
  value: ({ alerts }) => alerts,
  isDescendingFirst: true,
};

const LAST: Column<FraudCase> = {
  name: "Last alert",
  cell: ({ last }) => (
    <>
      <Moment at={last} />
      <span className="below muted">
        <Moment at={last} isAgo />
      </span>
    </>
  ),
  value: ({ last }) => last,
  isDescendingFirst: true,
};

const ASSIGNED: Column<FraudCase> = {
  name: "Assigned",
  cell: ({ assigned }) => (assigned == null ? <span className="muted">no one</span> : visible(assigned)),
  value: ({ assigned }) => assigned ?? null,
};

const DECISION: Column<FraudCase> = {
  name: "Decision",
  cell: ({ decision, reason, decided_by, decided }) => (
    <>
      <DecisionMark of={decision} />
      {decided != null && (
        <span className="below muted">
          {visible(decided_by ?? "")}, <Moment at={decided} isAgo />
          {reason != null && <>: {visible(reason)}</>}
        </span>
      )}
    </>
  ),
  value: ({ decision }) => (decision == null ? "open" : decisionInWords(decision)),
};

const SPARE: Column<FraudCase>[] = [
  { ...NUMBER, isSpare: true },
  { name: "Subject", isSpare: true, cell: ({ subject }) => visible(subject), value: ({ subject }) => subject },
  {
    name: "Fraud types",
    isSpare: true,
    cell: ({ fraud_types }) => visible(fraud_types.join(", ")),
    value: ({ fraud_types }) => fraud_types.join(", "),
  },
  { name: "Node", isSpare: true, cell: ({ node }) => node, value: ({ node }) => node },
  {
    name: "First alert",
    isSpare: true,
    cell: ({ first }) => <Moment at={first} />,
    value: ({ first }) => first,
    isDescendingFirst: true,
  },
  {
    name: "Opened",
    isSpare: true,
    cell: ({ opened }) => <Moment at={opened} />,
    value: ({ opened }) => opened,
    isDescendingFirst: true,
  },
  {
    name: "Decided",
    isSpare: true,
    cell: ({ decided }) => decided != null && <Moment at={decided} />,
    value: ({ decided }) => decided ?? null,
    isDescendingFirst: true,
  },
  {
    name: "Decided by",
    isSpare: true,
    cell: ({ decided_by }) => visible(decided_by ?? ""),
    value: ({ decided_by }) => decided_by ?? null,
  },
  {
    name: "Reason",
    isSpare: true,
    cell: ({ reason }) => visible(reason ?? ""),
    value: ({ reason }) => reason ?? null,
  },
];

const OF_QUEUE = [POINTS, SEVERITY, KEY, RULES, ALERTS, LAST, ASSIGNED, ...SPARE];

/** A decision has a reason, which needs the room. */
const DECIDED = [{ ...DECISION, isWide: true }, POINTS, SEVERITY, { ...RULES, isWide: false }, ALERTS, LAST];

const OF_DECIDED = [KEY, ...DECIDED, { ...ASSIGNED, isSpare: true }, ...SPARE];

/** Of a list of cases: open ones have no decision. */
export const caseColumns = (state: FraudCaseState) => (state === "open" ? OF_QUEUE : OF_DECIDED);

/** Of the other cases about the key of a case. */
export const OTHER_CASE_COLUMNS = [NUMBER, ...DECIDED];
