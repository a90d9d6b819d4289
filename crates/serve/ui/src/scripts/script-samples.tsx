/** Runs the edited script on records of its node, and shows input and results side by side. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Became, SampleRecord, SampleRuns, SamplesFrom } from "../api/types";
import { Failure } from "../parts/failure";
import { SelectField } from "../parts/field";
import { useDeed } from "../parts/load";
import { counted } from "../parts/numbers";
import { type Column, Table } from "../parts/table";
import { type Side, isOther, sides } from "./sides";

const FROM: { [from in SamplesFrom]: string } = {
  stream: "the files that came last",
  suspense: "suspense: those that the node refused",
};

interface SamplesProps {
  file: string;
  /** The nodes that run it. */
  nodes: string[];
  text: string;
}

export function ScriptSamples({ file, nodes, text }: SamplesProps) {
  const [chosen, setNode] = useState(nodes[0] ?? "");
  const [from, setFrom] = useState<SamplesFrom>("stream");
  const [ran, setRan] = useState<{ of: string; node: string; from: SamplesFrom; found: SampleRuns } | null>(null);
  const deed = useDeed();
  const node = nodes.includes(chosen) ? chosen : (nodes[0] ?? "");
  const run = () =>
    deed.run(async () => setRan({ of: text, node, from, found: await gateway.runSamples(file, { text, node, from }) }));
  return (
    <section aria-label="Records through the script" className="samples">
      <div className="section-head">
        <h3>Records</h3>
      </div>
      <div className="samples-asked">
        <SelectField label="That come to" value={node} onValue={setNode}>
          {nodes.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <SelectField label="From" value={from} onValue={(value) => setFrom(value as SamplesFrom)}>
          {Object.entries(FROM).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </SelectField>
        <button type="button" className="button" disabled={deed.isBusy || node === ""} onClick={run}>
          {deed.isBusy ? "Running…" : "Run on records"}
        </button>
      </div>
      {deed.problem !== null && <Failure problem={deed.problem} />}
      <div role="status" aria-label="What becomes of records">
        {ran !== null && (
          <>
            {ran.of !== text && <p className="muted">The script was changed since it ran.</p>}
            <p>{summary(ran.found, ran.node, ran.from)}</p>
            {ran.found.unknown_behind.length > 0 && (
              <p className="muted">
                What comes from behind {ran.found.unknown_behind.join(", ")} is not known beforehand: records wait
                there, or are counted.
              </p>
            )}
            {ran.found.records.map((record, place) => (
              <Sample key={place} record={record} isOpen={place === first(ran.found.records)} />
            ))}
          </>
        )}
      </div>
    </section>
  );
}

/** Returns the index of the first record whose result changes. It is shown open. */
function first(records: SampleRecord[]): number {
  return Math.max(
    0,
    records.findIndex(({ now, edited }) => isOther(now, edited)),
  );
}

const nanoseconds = (value: number) => `${value < 100 ? value.toFixed(1) : Math.round(value)} ns a record`;

function summary(found: SampleRuns, node: string, from: SamplesFrom): string {
  const { records, edited_nanoseconds: edited, now_nanoseconds: now } = found;
  if (records.length === 0) {
    return from === "suspense"
      ? `No record is in suspense that ${node} refused.`
      : `Nothing came to ${node} of the files that came last, or they are not kept.`;
  }
  const others = records.filter((each) => isOther(each.now, each.edited)).length;
  const isSame = records.every((each) => each.now == null);
  const takes = [
    ...(edited == null ? [] : [`as edited ${nanoseconds(edited)}`]),
    ...(now == null ? [] : [`as it runs ${nanoseconds(now)}`]),
  ];
  return [
    `${counted(records.length, "record")}.`,
    isSame ? "The script runs as it stands here." : `Something else becomes of ${others} of them.`,
    ...(takes.length === 0 ? [] : [`The script takes, ${takes.join(", ")}.`]),
  ].join(" ");
}

function inWords({ stream, records, problem }: Became): string {
  if (problem != null) return "refused";
  if (stream != null) return stream;
  return records.length === 0 ? "filtered out" : counted(records.length, "record");
}

function Sample({ record, isOpen }: { record: SampleRecord; isOpen: boolean }) {
  const { network_element, file, record: number, suspended, came, now, edited } = record;
  const other = isOther(now, edited);
  const problems = [
    ...(now?.problem == null ? [] : [["As it runs", now.problem] as const]),
    ...(edited.problem == null ? [] : [["As edited", edited.problem] as const]),
  ];
  return (
    <details className="sample" open={isOpen}>
      <summary>
        <span className="fixed">
          {network_element}, {file}, record {number}
        </span>
        {suspended != null && <span className="muted"> (suspense {suspended})</span>}:{" "}
        {other && now != null && <span className="sample-before">{inWords(now)} → </span>}
        <b>{inWords(edited)}</b>
        {other && <span className="mark mark-warning sample-other">other</span>}
      </summary>
      {problems.map(([which, problem]) => (
        <div key={which}>
          <p>{which} it is refused:</p>
          <pre className="break">{problem}</pre>
        </div>
      ))}
      <Table
        label={`Record ${number} of ${file}`}
        columns={columns(now, edited)}
        rows={sides(came, now, edited)}
        rowKey={(side) => side.field}
      />
    </details>
  );
}

const cell = (value: string | null, isChanged = false) => {
  if (value === null) return <span className="muted">–</span>;
  return isChanged ? <mark className="fixed">{value}</mark> : <span className="fixed">{value}</span>;
};

function columns(now: SampleRecord["now"], edited: Became): Column<Side>[] {
  const before = (side: Side) => (now == null ? side.came : side.now);
  const comes: Column<Side>[] = [
    { name: "Field", cell: (side) => <span className="fixed">{side.field}</span> },
    { name: "As it comes", cell: (side) => cell(side.came) },
  ];
  // A filter passes records unchanged, so there are no result columns.
  if (edited.records.length + (now?.records.length ?? 0) === 0) return comes;
  return [
    ...comes,
    ...(now == null ? [] : [{ name: "Made, as it runs", cell: (side: Side) => cell(side.now) }]),
    {
      name: "Made, as edited",
      cell: (side) => cell(side.edited, before(side) !== null && before(side) !== side.edited),
    },
  ];
}
