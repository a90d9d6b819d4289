/** The columns of lists of actions. */
import type { RequestedAction } from "../api/types";
import { Count } from "../parts/count";
import { count } from "../parts/numbers";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { type ActionDeed, DEEDS, mayDo, stateInWords, waitsFor } from "./action-words";
import { Condition } from "./condition";

const ACTION: Column<RequestedAction> = {
  name: "Action",
  cell: ({ id, action }) => (
    <>
      <strong>{visible(action)}</strong>
      <span className="below muted whole">action {id}</span>
    </>
  ),
  value: ({ action }) => action,
};

const NUMBER: Column<RequestedAction> = {
  name: "Number",
  isNumber: true,
  isSpare: true,
  cell: ({ id }) => id,
  value: ({ id }) => id,
  isDescendingFirst: true,
};

const keyColumn = (isMasked: boolean): Column<RequestedAction> => ({
  name: "Key",
  cell: ({ subject, key }) => (
    <>
      {isMasked ? (
        <span className="fixed break fraud-key">{visible(key)}</span>
      ) : (
        <Link
          className="fixed break fraud-key"
          href={`/fraud?state=all&key=${encodeURIComponent(key)}`}
          title="Cases of this key"
        >
          {visible(key)}
        </Link>
      )}
      <span className="below muted">{visible(subject)}</span>
    </>
  ),
  value: ({ key }) => key,
});

const BECAUSE: Column<RequestedAction> = {
  name: "Requested because",
  isWide: true,
  cell: ({ because, rule, requested_by }) => (
    <>
      {rule == null ? visible(because) : <Condition of={because} />}
      <span className="below muted">
        {rule == null ? `by ${visible(requested_by ?? "")}` : `by the rule ${visible(rule)}`}
      </span>
    </>
  ),
  value: ({ because }) => because,
};

const REQUESTED: Column<RequestedAction> = {
  name: "Requested",
  cell: ({ requested }) => (
    <>
      <Moment at={requested} />
      <span className="below muted">
        <Moment at={requested} isAgo />
      </span>
    </>
  ),
  value: ({ requested }) => requested,
  isDescendingFirst: true,
};

const ApprovedBy = ({ of: { approved_by } }: { of: RequestedAction }) =>
  approved_by.length > 0 && (
    <span className="below muted">approved by {approved_by.map((who) => visible(who)).join(" and ")}</span>
  );

/** Says why an action waits. */
const WaitsFor = ({ of }: { of: RequestedAction }) => (
  <>
    {of.rule_waits === true && of.state === "waiting" ? <Link href="/fraud/rules">{waitsFor(of)}</Link> : waitsFor(of)}
    <ApprovedBy of={of} />
  </>
);

const WAITS_FOR: Column<RequestedAction> = {
  name: "Waits because",
  cell: (action) => <WaitsFor of={action} />,
  value: (action) => waitsFor(action),
};

const StateMark = ({ of: { state } }: { of: RequestedAction }) => {
  const { word, mark } = stateInWords(state);
  return <span className={`mark mark-${mark}`}>{word}</span>;
};

/** The state, with all that explains it. */
const STATE: Column<RequestedAction> = {
  name: "State",
  cell: (action) => (
    <>
      <StateMark of={action} />
      {stateInWords(action.state).means !== undefined && (
        <span className="below muted">{stateInWords(action.state).means}</span>
      )}
      {action.done != null && (
        <span className="below muted">
          <Moment at={action.done} />
        </span>
      )}
      {action.problem != null && <span className="below break">{visible(action.problem)}</span>}
      {waitsFor(action) === null ? (
        <ApprovedBy of={action} />
      ) : (
        <span className="below">
          <WaitsFor of={action} />
        </span>
      )}
      {action.tries > 1 && <span className="below muted">{count(action.tries)} attempts</span>}
    </>
  ),
  value: ({ state }) => stateInWords(state).word,
};

const SENT_STATE: Column<RequestedAction> = {
  ...STATE,
  cell: (action) => (
    <>
      <StateMark of={action} />
      <ApprovedBy of={action} />
    </>
  ),
};

const ATTEMPTS: Column<RequestedAction> = {
  name: "Attempts",
  isNumber: true,
  cell: ({ tries }) => <Count of={tries} />,
  value: ({ tries }) => tries,
  isDescendingFirst: true,
};

const PROBLEM: Column<RequestedAction> = {
  name: "Last problem",
  isWide: true,
  cell: ({ problem }) => problem != null && <span className="break">{visible(problem)}</span>,
  value: ({ problem }) => problem ?? null,
};

const SPARE: Column<RequestedAction>[] = [
  NUMBER,
  { name: "Node", isSpare: true, cell: ({ node }) => node, value: ({ node }) => node },
  { name: "Rule", isSpare: true, cell: ({ rule }) => visible(rule ?? ""), value: ({ rule }) => rule ?? null },
  {
    name: "Rule version",
    isSpare: true,
    cell: (action) => <span className="fixed">{action.rule_version}</span>,
    value: (action) => action.rule_version ?? null,
  },
  {
    name: "Requested by",
    isSpare: true,
    cell: (action) => visible(action.requested_by ?? ""),
    value: (action) => action.requested_by ?? null,
  },
  {
    name: "Approved by",
    isSpare: true,
    cell: (action) => visible(action.approved_by.join(", ")),
    value: (action) => action.approved_by.join(", "),
  },
];

/** Of actions that wait for people. */
export const waitingColumns = (isMasked: boolean) => [
  ACTION,
  keyColumn(isMasked),
  BECAUSE,
  WAITS_FOR,
  REQUESTED,
  ...SPARE,
];

/** Of actions that are sent. */
export const sendingColumns = (isMasked: boolean) => [
  ACTION,
  keyColumn(isMasked),
  SENT_STATE,
  ATTEMPTS,
  PROBLEM,
  REQUESTED,
  { ...BECAUSE, isWide: false, isSpare: true },
  ...SPARE,
];

/** Of actions that wait for nothing. */
export const finishedColumns = (isMasked: boolean) => [
  ACTION,
  keyColumn(isMasked),
  STATE,
  BECAUSE,
  REQUESTED,
  ...SPARE,
];

/** Of the actions about the key of a case, each with buttons for what the user may do with it. */
export function caseActionColumns(
  me: string,
  mayChange: boolean,
  onDeed: (deed: ActionDeed, action: RequestedAction) => void,
): Column<RequestedAction>[] {
  const deeds = Object.keys(DEEDS) as ActionDeed[];
  const buttons: Column<RequestedAction> = {
    name: "Decision",
    cell: (action) => (
      <span className="row-buttons">
        {deeds
          .filter((deed) => mayDo(deed, action, me))
          .map((deed) => (
            <button
              key={deed}
              type="button"
              className="button"
              aria-label={`${DEEDS[deed].word} action ${action.id}…`}
              onClick={() => onDeed(deed, action)}
            >
              {DEEDS[deed].word}…
            </button>
          ))}
      </span>
    ),
  };
  return [ACTION, STATE, BECAUSE, REQUESTED, ...(mayChange ? [buttons] : []), ...SPARE];
}
