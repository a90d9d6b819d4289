/** What the rules of fraud nodes have found. */
import { gateway } from "../api/gateway";
import type { AlertRecord, FraudAlert } from "../api/types";
import { Count } from "../parts/count";
import { TextField } from "../parts/field";
import { List } from "../parts/list";
import { usePages } from "../parts/load";
import { counted } from "../parts/numbers";
import { NodeFilter } from "../parts/node-filter";
import { Empty, Page } from "../parts/page";
import { PeriodFilter, usePeriod } from "../parts/period";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { recordsAddress } from "../records/address";
import { Link, useWord } from "../router/router";

const COLUMNS: Column<FraudAlert>[] = [
  { name: "When", cell: ({ at }) => <Moment at={at} />, value: ({ at }) => at, isDescendingFirst: true },
  { name: "Rule", cell: ({ rule }) => visible(rule), value: ({ rule }) => rule },
  { name: "Subject", cell: ({ subject }) => visible(subject), value: ({ subject }) => subject },
  { name: "Key", cell: ({ key }) => <span className="fixed break">{visible(key)}</span>, value: ({ key }) => key },
  {
    name: "Score",
    isNumber: true,
    cell: ({ score }) => <Count of={score} />,
    value: ({ score }) => score,
    isDescendingFirst: true,
  },
  {
    name: "Condition",
    isWide: true,
    cell: ({ condition }) => <span className="fixed break">{visible(condition)}</span>,
    value: ({ condition }) => condition,
  },
  {
    name: "Record",
    cell: (alert) => <RecordOf alert={alert} />,
    value: ({ file, record }) => `${file ?? ""} ${record}`,
  },
  { name: "Node", isSpare: true, cell: ({ node }) => node, value: ({ node }) => node },
  {
    name: "Rule version",
    isSpare: true,
    cell: (alert) => <span className="fixed">{alert.rule_version}</span>,
    value: (alert) => alert.rule_version,
  },
];

/** The record for which the rule fired, and those before it that count. */
function RecordOf({ alert }: { alert: FraudAlert }) {
  return (
    <>
      <OneRecord of={alert} />
      {alert.evidence.length > 0 && (
        <details>
          <summary>{counted(alert.evidence.length, "record")}</summary>
          <ul className="plain">
            {alert.evidence.map((of) => (
              <li key={`${of.job} ${of.record}`}>
                <OneRecord of={of} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** A record. The journal may not have its file any more. */
function OneRecord({ of: { job, file, record } }: { of: AlertRecord }) {
  if (file == null) return <span className="muted">of a file that is no longer known</span>;
  return (
    <>
      <Link className="fixed" href={recordsAddress({ job }, record)} title="Look at the record">
        {visible(file)}, {record}
      </Link>
      <Link className="below" href={`/trace?file=${encodeURIComponent(file)}&record=${record}`}>
        trace
      </Link>
    </>
  );
}

export function FraudPage() {
  const [node, setNode] = useWord("node");
  const [rule, setRule] = useWord("rule");
  const [key, setKey] = useWord("key");
  const period = usePeriod();
  const pages = usePages(
    async (before) => {
      const bounds = period.bounds(Date.now());
      const found = await gateway.fraudAlerts({ node, rule, key, ...bounds, before, limit: 50 });
      return { rows: found.alerts, more: found.more };
    },
    ({ id }) => id,
    [node, rule, key, period.key],
  );
  const isFiltered = node !== "" || rule !== "" || key !== "" || period.isChosen;
  return (
    <Page
      title="Fraud"
      lead="What rules have found, the newest first. A condition has the values for which it was true."
    >
      <div className="filters">
        <NodeFilter label="Node" kinds={["fraud"]} value={node} onValue={setNode} />
        <TextField label="Rule" type="search" value={rule} onValue={setRule} />
        <TextField label="Key" type="search" value={key} onValue={setKey} />
        <PeriodFilter />
      </div>
      <List
        {...pages}
        label="Alerts"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          isFiltered ? (
            <Empty icon="fraud" title="No such alert">
              <p>No rule has found what you ask for. Rules and keys are compared as they are.</p>
            </Empty>
          ) : (
            <Empty icon="fraud" title="No rule has found anything yet">
              <p>Rules are files in the folder that a fraud node of the flow names.</p>
            </Empty>
          )
        }
      />
    </Page>
  );
}
