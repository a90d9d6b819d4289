/** The columns of lists of alerts. */
import type { FraudAlert } from "../api/types";
import { Count } from "../parts/count";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { caseAddress, subjectAddress } from "./address";
import { Condition } from "./condition";
import { RecordsOf } from "./records";
import { SeverityMark, rankOf } from "./severity";

/** The anchor of an alert in the list of a case. */
export const anchorOf = (alert: number) => `alert-${alert}`;

const WHEN: Column<FraudAlert> = {
  name: "When",
  cell: ({ id, at }) => (
    <span id={anchorOf(id)} tabIndex={-1}>
      <Moment at={at} />
    </span>
  ),
  value: ({ at }) => at,
  isDescendingFirst: true,
};

const RULE: Column<FraudAlert> = {
  name: "Rule",
  cell: ({ rule, fraud_type, shadow }) => (
    <>
      {visible(rule)}
      {fraud_type != null && <span className="below muted">{visible(fraud_type)}</span>}
      {shadow === true && <span className="below muted">tried out</span>}
    </>
  ),
  value: ({ rule }) => rule,
};

const keyColumn = (isMasked: boolean): Column<FraudAlert> => ({
  name: "Key",
  cell: ({ subject, key }) => (
    <>
      {isMasked ? (
        <span className="fixed break fraud-key">{visible(key)}</span>
      ) : (
        <Link className="fixed break fraud-key" href={subjectAddress(key)} title="All about this key">
          {visible(key)}
        </Link>
      )}
      <span className="below muted">{visible(subject)}</span>
    </>
  ),
  value: ({ key }) => key,
});

const SEVERITY: Column<FraudAlert> = {
  name: "Severity",
  cell: ({ severity }) => <SeverityMark of={severity} />,
  value: ({ severity }) => severity,
  compare: (one, other) => rankOf(one.severity) - rankOf(other.severity),
  isDescendingFirst: true,
};

const POINTS: Column<FraudAlert> = {
  name: "Points",
  isNumber: true,
  cell: ({ score }) => <Count of={score} />,
  value: ({ score }) => score,
  isDescendingFirst: true,
};

const CONDITION: Column<FraudAlert> = {
  name: "Condition",
  cell: ({ condition }) => <Condition of={condition} />,
  value: ({ condition }) => condition,
};

const RECORD: Column<FraudAlert> = {
  name: "Record",
  cell: (alert) => <RecordsOf alert={alert} />,
  value: ({ file, record }) => `${file ?? ""} ${record}`,
};

const CASE: Column<FraudAlert> = {
  name: "Case",
  cell: ({ case: of }) =>
    of != null && (
      <Link className="whole" href={caseAddress(of)}>
        case {of}
      </Link>
    ),
  value: ({ case: of }) => of ?? null,
};

const SUBJECT: Column<FraudAlert> = {
  name: "Subject",
  isSpare: true,
  cell: ({ subject }) => visible(subject),
  value: ({ subject }) => subject,
};

const SPARE: Column<FraudAlert>[] = [
  {
    name: "Fraud type",
    isSpare: true,
    cell: ({ fraud_type }) => fraud_type != null && visible(fraud_type),
    value: ({ fraud_type }) => fraud_type ?? null,
  },
  {
    name: "Tried out",
    isSpare: true,
    cell: ({ shadow }) => shadow === true && "tried out",
    value: ({ shadow }) => shadow ?? false,
  },
  { name: "Node", isSpare: true, cell: ({ node }) => node, value: ({ node }) => node },
  {
    name: "Rule version",
    isSpare: true,
    cell: (alert) => <span className="fixed">{alert.rule_version}</span>,
    value: (alert) => alert.rule_version,
  },
];

/** Of all alerts. */
export const alertColumns = (isMasked: boolean) => [
  ...[WHEN, RULE, keyColumn(isMasked), SEVERITY, POINTS, CONDITION, RECORD, CASE, SUBJECT],
  ...SPARE,
];

/** Of the alerts of a case, which are all about one key. */
export const CASE_ALERT_COLUMNS = [WHEN, RULE, SEVERITY, POINTS, { ...CONDITION, isWide: true }, RECORD, ...SPARE];

/** Of all alerts about a key, which may be those of several cases and kinds of subjects. */
export const SUBJECT_ALERT_COLUMNS = [
  ...[WHEN, RULE, { ...SUBJECT, isSpare: false }, SEVERITY, POINTS, { ...CONDITION, isWide: true }, RECORD, CASE],
  ...SPARE,
];
