/** The columns of what is stored about a subject. */
import type { CaseOfSubject, FraudRecord, ListedKey, TrailEntry } from "../api/types";
import { Count } from "../parts/count";
import { Cut } from "../parts/cut";
import { counted } from "../parts/numbers";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { valuesInWords } from "../records/parts";
import { Link } from "../router/router";
import { fraudListAddress } from "./address";
import { OTHER_CASE_COLUMNS } from "./case-columns";
import { DeadMark } from "./list-columns";
import { OneRecord } from "./records";
import { reasonOf, stepInWords } from "./words";

/** What was done with a case, a line for each step. */
const STEPS: Column<CaseOfSubject> = {
  name: "What was done",
  cell: ({ steps }) =>
    steps.length > 0 && (
      <details>
        <summary>{counted(steps.length, "step")}</summary>
        <ol className="plain evidence">
          {steps.map((step, place) => (
            <li key={place}>
              <Moment at={step.at} /> <span className="muted">{visible(step.who)}</span> {visible(stepInWords(step))}
              {reasonOf(step) !== "" && <span className="muted">: {visible(reasonOf(step))}</span>}
            </li>
          ))}
        </ol>
      </details>
    ),
  value: ({ steps }) => steps.map((step) => `${step.at} ${step.who} ${stepInWords(step)}`).join("; "),
};

export const SUBJECT_CASE_COLUMNS: Column<CaseOfSubject>[] = [...OTHER_CASE_COLUMNS, STEPS];

/** Of the entries of lists that are for a key. */
export const LISTED_COLUMNS: Column<ListedKey>[] = [
  {
    name: "List",
    cell: ({ list, nodes }) => (
      <>
        <Link href={fraudListAddress(list, nodes[0] ?? "")}>{visible(list)}</Link>
        <span className="below muted">{nodes.join(", ")}</span>
      </>
    ),
    value: ({ list }) => list,
  },
  {
    name: "Entry",
    cell: ({ key }) => (
      <>
        <span className="fixed break fraud-key">{visible(key)}</span>
        {key.endsWith("*") && <span className="below muted">all keys that begin so</span>}
      </>
    ),
    value: ({ key }) => key,
  },
  { name: "From", cell: ({ from }) => from, value: ({ from }) => from ?? null },
  {
    name: "Until",
    cell: ({ until }) => until ?? <span className="muted">no end</span>,
    value: ({ until }) => until ?? null,
  },
  {
    name: "Because",
    isWide: true,
    cell: ({ because, who, source }) => (
      <>
        {visible(because ?? "")}
        <span className="below muted">{visible([who, source].filter((each) => each != null).join(", "))}</span>
      </>
    ),
    value: ({ because }) => because ?? null,
  },
  {
    name: "Hits",
    isNumber: true,
    cell: ({ hits }) => <Count of={hits} />,
    value: ({ hits }) => hits,
    isDescendingFirst: true,
  },
  {
    name: "Last hit",
    cell: (entry) => (
      <>
        {entry.last_hit != null && <Moment at={entry.last_hit} />}
        <DeadMark of={entry} />
      </>
    ),
    value: ({ last_hit }) => last_hit ?? null,
    isDescendingFirst: true,
  },
];

/** Of the records about a key. */
export const SUBJECT_RECORD_COLUMNS: Column<FraudRecord>[] = [
  { name: "When", cell: ({ at }) => <Moment at={at} />, value: ({ at }) => at, isDescendingFirst: true },
  { name: "Subject", cell: ({ subject }) => visible(subject), value: ({ subject }) => subject },
  {
    name: "Network element",
    cell: (record) => record.network_element ?? "",
    value: (record) => record.network_element,
  },
  {
    name: "Record",
    cell: (record) => <OneRecord of={record} />,
    value: ({ file, record }) => `${file ?? ""} ${record}`,
  },
  {
    name: "Values",
    isWide: true,
    cell: ({ parts, problem }) => (
      <>
        {parts != null && <Cut text={visible(valuesInWords(parts))} />}
        {problem != null && <span className="below muted">{visible(problem)}</span>}
      </>
    ),
    value: ({ parts }) => (parts == null ? null : valuesInWords(parts)),
  },
];

/** Of the views that name a key or its cases. */
export const VIEW_COLUMNS: Column<TrailEntry>[] = [
  { name: "When", cell: ({ at }) => <Moment at={at} />, value: ({ at }) => at, isDescendingFirst: true },
  { name: "Who", cell: ({ who }) => visible(who), value: ({ who }) => who },
  { name: "What", cell: ({ action }) => <span className="whole">{action}</span>, value: ({ action }) => action },
  {
    name: "To what",
    cell: ({ subject }) => <Cut text={visible(subject)} />,
    value: ({ subject }) => subject,
  },
  {
    name: "Why",
    isWide: true,
    cell: ({ reason }) => visible(reason),
    value: ({ reason }) => reason,
  },
];
