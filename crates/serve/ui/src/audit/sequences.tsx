/** The sequence numbers of network elements, compared with what came. Faults come first. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { SequenceLine } from "../api/types";
import { Icon } from "../parts/icons";
import { List } from "../parts/list";
import { useLoad } from "../parts/load";
import { count, counted } from "../parts/numbers";
import { Await, Empty } from "../parts/page";
import type { Period } from "../parts/period";
import { useMay } from "../parts/session";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { AcceptDialog, countedOf, numbersOf } from "./accept-dialog";

/** The findings that need attention, as in `tollgate sequence`. */
const FAULTS = new Set(["missing", "missing-before", "jumped", "unnumbered", "differs"]);

export const isFault = (line: SequenceLine) => FAULTS.has(line.what);

export const faultsFirst = (lines: readonly SequenceLine[]) =>
  [...lines].sort((one, other) => Number(isFault(other)) - Number(isFault(one)));

/** Only missing numbers can be accepted. Other faults do not tell which numbers are meant. */
const isMissing = (line: SequenceLine) => line.what === "missing" || line.what === "missing-before";

/** The status codes if no network element has a sequence. */
const NOT_COUNTED = new Set([404, 409, 422]);

const STATE: Record<string, string> = {
  late: "minor",
  repeated: "minor",
  restarted: "warning",
  received: "fine",
  agrees: "fine",
};

/** Identifies a line. JSON has no numbers as large as a counter can be. */
export const keyOf = (line: SequenceLine) => Object.values(line).join("/");

const COLUMNS: Column<SequenceLine>[] = [
  {
    name: "What",
    cell: (line) => (
      <span className={`mark mark-${isFault(line) ? "major" : (STATE[line.what] ?? "quiet")}`}>{line.what}</span>
    ),
    value: (line) => line.what,
  },
  { name: "Network element", cell: (line) => line.network_element, value: (line) => line.network_element },
  { name: "Of", cell: countedOf, value: countedOf },
  {
    name: "Numbers",
    isNumber: true,
    cell: (line) =>
      line.first == null ? "" : line.first === line.last ? line.first : `${line.first} – ${line.last ?? ""}`,
    value: (line) => line.first,
  },
  { name: "Last number", isSpare: true, isNumber: true, cell: (line) => line.last, value: (line) => line.last },
  { name: "How many", isNumber: true, cell: (line) => count(line.count), value: (line) => line.count },
  {
    name: "When",
    cell: (line) => (
      <>
        {line.at != null && <Moment at={line.at} />}
        {line.until != null && (
          <span className="below">
            until <Moment at={line.until} />
          </span>
        )}
      </>
    ),
    value: (line) => line.at,
    isDescendingFirst: true,
  },
  {
    name: "File",
    cell: (line) => <span className="fixed">{visible(line.file ?? "")}</span>,
    value: (line) => line.file,
  },
  { name: "Note", cell: (line) => line.note, value: (line) => line.note },
];

const withAccept = (accept: (line: SequenceLine) => void): Column<SequenceLine>[] => [
  ...COLUMNS,
  {
    name: "Is it lost?",
    cell: (line) =>
      isMissing(line) && (
        <button
          type="button"
          className="button"
          onClick={() => accept(line)}
          aria-label={`Accept ${line.of}s ${numbersOf(line)} of ${line.network_element} as lost`}
        >
          Accept…
        </button>
      ),
  },
];

export function Sequences({ period, element }: { period: Period; element: string }) {
  const loaded = useLoad(() => gateway.sequences(period.bounds(Date.now())), [period.key]);
  const mayChange = useMay("operator");
  const [asked, setAsked] = useState<SequenceLine | null>(null);
  if (loaded.problem !== null && NOT_COUNTED.has(loaded.problem.status)) {
    return (
      <Empty icon="audit" title="No numbers are watched">
        <p>{loaded.problem.message}</p>
      </Empty>
    );
  }
  return (
    <Await loaded={loaded}>
      {(report) => {
        const lines = report.lines.filter((line) => element === "" || line.network_element === element);
        const faults = lines.filter(isFault).length;
        if (lines.length === 0) {
          return (
            <Empty icon="audit" title="No numbers are watched, or none came then">
              <p>
                Give a network element a “file-sequence” or a “record-sequence” in the flow: then it is seen here what
                did not come.
              </p>
            </Empty>
          );
        }
        return (
          <>
            {faults === 0 ? (
              <p className="remark remark-fine">
                <Icon name="check" /> Nothing is missing.
              </p>
            ) : (
              <p className="remark">
                <Icon name="warning" /> {counted(faults, "line")} to look into.
              </p>
            )}
            {report.not_yet > 0 && (
              <p className="muted">
                {counted(report.not_yet, "file")} that {report.not_yet === 1 ? "is" : "are"} done and not in it yet.
              </p>
            )}
            <List
              problem={null}
              again={loaded.again}
              empty={null}
              label="Sequences"
              columns={mayChange && lines.some(isMissing) ? withAccept(setAsked) : COLUMNS}
              rows={faultsFirst(lines)}
              rowKey={keyOf}
              rowClass={(line) => (isFault(line) ? "row-fault" : undefined)}
            />
            <p className="muted">
              As of <Moment at={report.as_of} />. SHA-256 of the lines:{" "}
              <span className="fixed break">{report.sha256}</span>
            </p>
            {asked !== null && (
              <AcceptDialog
                line={asked}
                onClose={() => setAsked(null)}
                onDone={() => {
                  setAsked(null);
                  loaded.again();
                }}
              />
            )}
          </>
        );
      }}
    </Await>
  );
}
