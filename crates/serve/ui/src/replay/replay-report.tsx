/** The results of a replay: differences first, then counts and sums, then records side by side. */
import type { ReplayCount, ReplayExample, ReplayField, ReplayReceiver, ReplayReport, ReplaySum } from "../api/types";
import { Count } from "../parts/count";
import { Sublist } from "../parts/list";
import { count } from "../parts/numbers";
import { type Column, Table } from "../parts/table";
import { recordsAddress } from "../records/address";
import { Link } from "../router/router";
import { ReplayAlerts } from "./replay-alerts";
import { became, changeOf, difference, differingFirst, summaryOf } from "./words";

const isOther = ({ before, after }: { before: number | string; after: number | string }) => before !== after;

const By = ({ before, after }: { before: number | string; after: number | string }) => {
  const by = difference(before, after);
  return by === "0" ? <span className="zero">0</span> : <b>{by}</b>;
};

const by = ({ before, after }: { before: number | string; after: number | string }) => BigInt(after) - BigInt(before);

const COUNTS: Column<ReplayCount>[] = [
  { name: "Records", cell: ({ what }) => (what === "records" ? "all" : what), value: ({ what }) => what },
  { name: "Now", cell: ({ before }) => <Count of={before} />, value: ({ before }) => before, isNumber: true },
  { name: "As tried", cell: ({ after }) => <Count of={after} />, value: ({ after }) => after, isNumber: true },
  { name: "Difference", cell: (row) => <By {...row} />, value: by, isNumber: true },
];

const RECEIVERS: Column<ReplayReceiver>[] = [
  { name: "Receiver", cell: (row) => row.post_processing_system, value: (row) => row.post_processing_system },
  { name: "Now", cell: ({ before }) => <Count of={before} />, value: ({ before }) => before, isNumber: true },
  { name: "As tried", cell: ({ after }) => <Count of={after} />, value: ({ after }) => after, isNumber: true },
  {
    name: "No more",
    cell: ({ only_before }) => <Count of={only_before} />,
    value: ({ only_before }) => only_before,
    isNumber: true,
  },
  {
    name: "Only then",
    cell: ({ only_after }) => <Count of={only_after} />,
    value: ({ only_after }) => only_after,
    isNumber: true,
  },
  { name: "Otherwise", cell: ({ changed }) => <Count of={changed} />, value: ({ changed }) => changed, isNumber: true },
];

const SUMS: Column<ReplaySum>[] = [
  { name: "Sum of", cell: ({ of }) => of, value: ({ of }) => of, isWide: true },
  { name: "Now", cell: ({ before }) => count(BigInt(before)), value: ({ before }) => BigInt(before), isNumber: true },
  { name: "As tried", cell: ({ after }) => count(BigInt(after)), value: ({ after }) => BigInt(after), isNumber: true },
  { name: "Difference", cell: (row) => <By {...row} />, value: by, isNumber: true },
];

type FileDiffering = ReplayReport["files_named"][number];

const FILES: Column<FileDiffering>[] = [
  {
    name: "File",
    cell: ({ network_element, file }) => <Link href={recordsAddress({ network_element, file })}>{file}</Link>,
    value: ({ file }) => file,
    isWide: true,
  },
  { name: "Network element", cell: (row) => row.network_element, value: (row) => row.network_element },
  {
    name: "Records that would differ",
    cell: (row) => <Count of={row.differing} />,
    value: (row) => row.differing,
    isNumber: true,
  },
];

const value = (json: ReplayField["before"], isChanged: boolean) => {
  if (json == null) return <span className="muted">–</span>;
  return isChanged ? <mark className="fixed break">{json}</mark> : <span className="fixed break">{json}</span>;
};

const FIELDS: Column<ReplayField>[] = [
  { name: "Field", cell: ({ field }) => <span className="fixed">{field}</span> },
  { name: "Now", cell: ({ before }) => value(before, false) },
  { name: "As tried", cell: ({ after }) => value(after, true) },
];

export function Report({ report }: { report: ReplayReport }) {
  const { counts, receivers, sums, headers, files_named, files_differing, examples } = report;
  const differs = (row: ReplayReceiver) => row.only_before + row.only_after + row.changed > 0;
  return (
    <>
      <p className="replay-summary">{summaryOf(report)}</p>
      {headers.length > 0 && <p>The files for {headers.join(", ")} would begin otherwise.</p>}
      <ReplayAlerts report={report} />
      {examples.length > 0 && (
        <section className="section" aria-label="Records that would differ">
          <h2>Records that would differ</h2>
          <p className="muted">Of those that differ in the same way, the first few.</p>
          <div>
            {examples.map((example, place) => (
              <Example key={place} example={example} isOpen={place === 0} />
            ))}
          </div>
        </section>
      )}
      <section className="section" aria-label="What becomes of records">
        <h2>What becomes of records</h2>
        <Sublist
          label="Records by what becomes of them"
          columns={COUNTS}
          rows={differingFirst(counts, isOther)}
          rowKey={({ what }) => what}
        />
      </section>
      {receivers.length > 0 && (
        <section className="section" aria-label="What receivers get">
          <h2>What receivers get</h2>
          <Sublist
            label="Records by receiver"
            columns={RECEIVERS}
            rows={differingFirst(receivers, differs)}
            rowKey={(row) => row.post_processing_system}
          />
        </section>
      )}
      {sums.length > 0 && (
        <section className="section" aria-label="Sums">
          <h2>Sums</h2>
          <Sublist
            label="Sums of the audit"
            columns={SUMS}
            rows={differingFirst(sums, isOther)}
            rowKey={({ of }) => of}
          />
        </section>
      )}
      {files_named.length > 0 && (
        <section className="section" aria-label="Files that would differ">
          <h2>Files that would differ</h2>
          {files_named.length < files_differing && (
            <p className="muted">
              The first {count(files_named.length)} of {count(files_differing)}.
            </p>
          )}
          <Sublist
            label="Files that would differ"
            columns={FILES}
            rows={files_named}
            rowKey={({ network_element, file }) => `${network_element}/${file}`}
          />
        </section>
      )}
    </>
  );
}

/** A record: its result now and with the change, and each field that differs. */
function Example({ example, isOpen }: { example: ReplayExample; isOpen: boolean }) {
  const { network_element, file, record, key, before, after, receivers } = example;
  const isElse = became(before) !== became(after);
  const reasons = [
    ["Now", before?.reason ?? null],
    ["As tried", after?.reason ?? null],
  ] as const;
  return (
    <details className="sample" open={isOpen}>
      <summary>
        <span className="fixed">
          {key == null ? `${network_element}, ${file}, record ${record}` : `${file}, group ${key}`}
        </span>
        : {isElse && <span className="sample-before">{became(before)} → </span>}
        <b>{became(after)}</b>
        {receivers.map((gets) => (
          <span key={gets.post_processing_system} className="muted">
            ; {gets.post_processing_system} {changeOf(gets)}
          </span>
        ))}
      </summary>
      {key == null && (
        <p>
          <Link href={recordsAddress({ network_element, file }, record)}>Look at the record</Link>
        </p>
      )}
      {reasons.map(
        ([which, reason]) =>
          reason !== null && (
            <div key={which}>
              <p>{which} it is set aside:</p>
              <pre className="break">{reason}</pre>
            </div>
          ),
      )}
      {receivers.map(
        (gets) =>
          gets.fields.length > 0 && (
            <div key={gets.post_processing_system} className="section">
              <h3>{gets.post_processing_system}</h3>
              <Table
                label={`What ${gets.post_processing_system} gets of ${key == null ? `record ${record} of ${file}` : `group ${key}`}`}
                columns={FIELDS}
                rows={gets.fields}
                rowKey={({ field }) => field}
              />
            </div>
          ),
      )}
    </details>
  );
}
