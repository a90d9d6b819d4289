/** The rules that run, who has approved them, and what became of their alerts. */
import { useMemo, useState } from "react";

import { gateway } from "../api/gateway";
import type { FraudRule, RunningRule } from "../api/types";
import { useLive } from "../live/live";
import { Count } from "../parts/count";
import { lasting } from "../parts/lasting";
import { List } from "../parts/list";
import { useLoad } from "../parts/load";
import { count } from "../parts/numbers";
import { Empty } from "../parts/page";
import { PeriodFilter, usePeriod } from "../parts/period";
import { useMay, useSession } from "../parts/session";
import type { Column } from "../parts/table";
import { visible } from "../parts/visible";
import { Link, useAddress } from "../router/router";
import { ruleFileAddress } from "./address";
import { type ApprovedRule, ApproveRuleDialog } from "./approve-rule-dialog";
import { FraudFrame } from "./fraud-frame";
import { NewRuleDialog } from "./new-rule-dialog";
import { RuleActions, approvalInWords, isOverdue } from "./rule-actions";
import { RuleFilePage } from "./rule-file-page";
import { fileOfRule } from "./rule-files";

/** Returns whether a rule is tried out, or all of its alerts were found while it was. */
const isTriedOut = ({ running, alerts, shadow }: FraudRule) =>
  running == null ? alerts === 0 && shadow > 0 : running.shadow === true;

const figure = (name: string, of: (rule: FraudRule) => number): Column<FraudRule> => ({
  name,
  isNumber: true,
  cell: (rule) => <Count of={of(rule)} />,
  value: of,
  isDescendingFirst: true,
});

type FileOf = (rule: FraudRule) => string | null;

const named = (fileOf: FileOf): Column<FraudRule> => ({
  name: "Rule",
  isWide: true,
  cell: (rule) => (
    <>
      <Name of={rule} file={fileOf(rule)} />
      {rule.running?.title != null && <span className="below">{visible(rule.running.title)}</span>}
      {rule.running == null && <span className="below muted">no longer runs</span>}
      {rule.running != null && <Owner of={rule.running} />}
      {isTriedOut(rule) && <span className="below muted">tried out: opens no case</span>}
    </>
  ),
  value: ({ rule }) => rule,
});

const OF_RULE: Column<FraudRule>[] = [
  { name: "Node", isSpare: true, cell: ({ node }) => node, value: ({ node }) => node },
  {
    name: "Owner",
    isSpare: true,
    cell: ({ running }) => visible(running?.owner ?? ""),
    value: ({ running }) => running?.owner ?? null,
  },
  {
    name: "Review by",
    isSpare: true,
    cell: ({ running }) => visible(running?.until ?? ""),
    value: ({ running }) => running?.until ?? null,
  },
  {
    name: "Why",
    isSpare: true,
    cell: ({ running }) => visible(running?.because ?? ""),
    value: ({ running }) => running?.because ?? null,
  },
  {
    name: "Fraud type",
    isSpare: true,
    cell: ({ running }) => visible(running?.fraud_type ?? ""),
    value: ({ running }) => running?.fraud_type ?? null,
  },
  {
    name: "Version",
    isSpare: true,
    cell: ({ running }) => <span className="fixed">{running?.version}</span>,
    value: ({ running }) => running?.version ?? null,
  },
];

const FIGURES: Column<FraudRule>[] = [
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

/** Who answers for a rule, and when it is to be looked at again. */
function Owner({ of: { owner, until } }: { of: RunningRule }) {
  if (owner == null && until == null) return null;
  const isOver = until != null && isOverdue(until, new Date());
  return (
    <span className="below muted">
      {visible(owner ?? "")}
      {owner != null && until != null && ", "}
      {until != null && (
        <span className={isOver ? "overdue" : ""}>
          {isOver ? "review was due " : "review by "}
          <span className="whole">{visible(until)}</span>
        </span>
      )}
    </span>
  );
}

/** The name of a rule, which leads to its file. */
function Name({ of: { rule }, file }: { of: FraudRule; file: string | null }) {
  const name = <strong>{visible(rule)}</strong>;
  return file === null ? name : <Link href={ruleFileAddress(file)}>{name}</Link>;
}

/** A number that leads to what it counts. */
const Those = ({ of, href }: { of: number; href: string }) =>
  of === 0 ? <Count of={0} /> : <Link href={href}>{count(of)}</Link>;

export function RulesPage() {
  const file = useAddress().query.get("file");
  return file === null ? <RunningRules /> : <RuleFilePage file={file} />;
}

function RunningRules() {
  const mayChange = useMay("operator");
  const { name: me } = useSession().session;
  const [approved, setApproved] = useState<ApprovedRule | null>(null);
  const [isNew, setNew] = useState(false);
  const graph = useLive((live) => live.graph);
  const changes = useLive((live) => live.changes);
  const files = useLoad(gateway.ruleFiles, [], [changes.flow]).value;
  const period = usePeriod();
  const loaded = useLoad(() => gateway.fraudRules(period.bounds(Date.now())), [period.key]);
  const columns = useMemo((): Column<FraudRule>[] => {
    const actions: Column<FraudRule> = {
      name: "Actions",
      cell: ({ node, rule, running }) =>
        running != null && (
          <RuleActions
            rule={rule}
            of={running}
            me={me}
            onApprove={mayChange ? () => setApproved({ node, rule, running }) : null}
          />
        ),
      value: ({ running }) => (running == null ? null : actionsInText(running)),
    };
    const fileOf: FileOf = (rule) => fileOfRule(files?.files ?? [], rule, graph);
    return [named(fileOf), ...OF_RULE, actions, ...FIGURES];
  }, [mayChange, me, files, graph]);
  return (
    <FraudFrame
      lead="The rules that run, and what became of their alerts. The precision is the share of fraud among the cases that are known to be fraud or not."
      actions={
        mayChange &&
        files !== null &&
        files.folders.length > 0 && (
          <button type="button" className="button" onClick={() => setNew(true)}>
            New rule…
          </button>
        )
      }
    >
      <div className="filters">
        <PeriodFilter />
      </div>
      <List
        problem={loaded.problem}
        again={loaded.again}
        rows={loaded.value?.rules ?? null}
        label="Rules"
        columns={columns}
        rowKey={({ node, rule }) => `${node} ${rule}`}
        empty={
          <Empty icon="fraud" title="No rule runs">
            <p>
              A rule is a file in the folder that a fraud node of the flow names. It is listed here while it runs, and
              with the alerts that it has found.
            </p>
          </Empty>
        }
      />
      {isNew && files !== null && <NewRuleDialog of={files} onClose={() => setNew(false)} />}
      {approved !== null && (
        <ApproveRuleDialog
          of={approved}
          onClose={() => setApproved(null)}
          onDone={() => {
            setApproved(null);
            loaded.again();
          }}
        />
      )}
    </FraudFrame>
  );
}

/** Returns the actions of a rule, and whether they wait, for the export. */
function actionsInText(running: RunningRule): string {
  const approval = approvalInWords(running);
  return [running.actions.join(", "), ...(approval === null ? [] : [approval])].join("; ");
}
