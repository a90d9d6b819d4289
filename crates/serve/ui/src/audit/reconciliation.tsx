/** The table of what happened to the records, with the differences. */
import { gateway } from "../api/gateway";
import { sentence } from "../api/client";
import type { AuditCount, AuditReport } from "../api/types";
import { Count } from "../parts/count";
import { Icon } from "../parts/icons";
import { List, Sublist } from "../parts/list";
import { useLoad } from "../parts/load";
import { count, counted } from "../parts/numbers";
import { Await, Empty } from "../parts/page";
import type { Period } from "../parts/period";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";

export function Reconciliation({ period, element }: { period: Period; element: string }) {
  const loaded = useLoad(
    () => gateway.audit({ ...period.bounds(Date.now()), network_element: element }),
    [period.key, element],
  );
  return <Await loaded={loaded}>{(report) => <Report report={report} again={loaded.again} />}</Await>;
}

function Report({ report, again }: { report: AuditReport; again: () => void }) {
  if (report.counts.length === 0) {
    return (
      <Empty icon="audit" title="Nothing was processed then">
        <p>
          No file was done in the period that you ask for: nothing is audited. Choose another period or network element.
        </p>
      </Empty>
    );
  }
  return (
    <>
      <Verdict report={report} />
      <section className="section">
        <div className="section-head">
          <h2>Records</h2>
          <span className="muted">
            As of <Moment at={report.as_of} />{" "}
            <button type="button" className="button" onClick={again}>
              Audit again
            </button>
          </span>
        </div>
        <List
          problem={null}
          again={again}
          empty={null}
          isFixed
          label="What became of records"
          columns={COLUMNS}
          rows={report.counts}
          rowKey={keyOf}
          rowClass={(row) => (row.node == null ? undefined : "row-below row-quiet")}
        />
      </section>
      {report.amounts.length > 0 && (
        <section className="section">
          <h2>Sums</h2>
          <Sublist
            label="Sums of values"
            columns={AMOUNTS}
            rows={report.amounts}
            rowKey={(row) => [row.network_element, row.file, row.retried, row.system, row.side, row.name].join("/")}
          />
        </section>
      )}
    </>
  );
}

/** Shows the differences, or that there are none. */
function Verdict({ report }: { report: AuditReport }) {
  const { differences } = report;
  return (
    <>
      {differences.length === 0 ? (
        <p className="remark remark-fine">
          <Icon name="check" /> All records are accounted for.
        </p>
      ) : (
        <section className="failure" aria-label="Differences">
          <Icon name="error" />
          <div>
            <h2>{counted(differences.length, "difference")}</h2>
            <ul className="plain">
              {differences.map((each, place) => (
                <li key={place}>
                  {each.network_element != null && (
                    <b>
                      {each.network_element}
                      {each.file != null && `/${visible(each.file)}`}
                      {each.node != null && `, ${each.node}`}:{" "}
                    </b>
                  )}
                  {sentence(each.text)}
                </li>
              ))}
            </ul>
          </div>
        </section>
      )}
      {report.in_work > 0 && (
        <p className="muted">
          {counted(report.in_work, "file")} that {report.in_work === 1 ? "is" : "are"} done and not marked yet.
        </p>
      )}
      {report.not_taken.map((said) => (
        <p className="remark" key={said}>
          Not audited: {said}
        </p>
      ))}
      {report.forgotten != null && (
        <p className="remark">
          The journal has forgotten {counted(report.forgotten.files, "file")}, the last done at {report.forgotten.until}
          : nothing is said of these.
        </p>
      )}
    </>
  );
}

const keyOf = (row: AuditCount) => [row.day, row.network_element, row.file, row.retried, row.node].join("/");

const number = (name: string, of: (row: AuditCount) => number | bigint): Column<AuditCount> => ({
  name,
  isNumber: true,
  cell: (row) => <Count of={of(row)} />,
  value: of,
});

const COLUMNS: Column<AuditCount>[] = [
  {
    name: "Where",
    cell: (row) => (row.node == null ? <b>{row.network_element + (row.retried ? ", retried" : "")}</b> : row.node),
    value: (row) => row.node ?? row.network_element,
  },
  {
    name: "Network element",
    isSpare: true,
    cell: (row) => row.network_element,
    value: (row) => row.network_element,
  },
  { name: "Node", isSpare: true, cell: (row) => row.node, value: (row) => row.node },
  { name: "Retried", isSpare: true, cell: (row) => row.retried && "retried", value: (row) => row.retried },
  number("Files", (row) => row.files),
  number("Records", (row) => row.records),
  number("Delivered", (row) => row.delivered),
  number("Filtered", (row) => row.filtered),
  number("Held", (row) => row.held),
  number("Suspended", (row) => row.suspended),
  number("Duplicate", (row) => row.duplicate),
  number("Waiting", (row) => row.waiting),
  number("Dropped", (row) => row.dropped),
  number("Open", (row) => row.open),
  number("Discarded", (row) => row.discarded),
];

type Amount = AuditReport["amounts"][number];

const sumOf = (row: Amount) =>
  row.network_element +
  (row.file == null ? "" : `/${visible(row.file)}`) +
  (row.system == null ? "" : ` to ${row.system}`) +
  (row.retried ? ", retried" : "");

const AMOUNTS: Column<Amount>[] = [
  { name: "Sum", cell: (row) => <b>{row.name}</b>, value: (row) => row.name },
  { name: "Of", cell: sumOf, value: sumOf },
  { name: "Side", cell: (row) => row.side, value: (row) => row.side },
  { name: "Value", isNumber: true, cell: (row) => count(row.sum), value: (row) => row.sum },
  { name: "Records", isNumber: true, cell: (row) => count(row.records), value: (row) => row.records },
];
