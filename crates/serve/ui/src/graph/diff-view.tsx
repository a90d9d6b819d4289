/** Two texts side by side. In a narrow window, one is below the other. */
import "../styles/diff.css";

import { Fragment, useMemo, useState } from "react";

import { useIsNarrow } from "../parts/media";
import { counted } from "../parts/numbers";
import { type Part, type Row, type Side, counts, diff, parts, within } from "./diff";

interface DiffProps {
  before: string;
  after: string;
  /** The headings of the two sides. */
  names: [string, string];
  /** The text if both sides are the same. */
  same?: string;
}

export function DiffView({ before, after, names, same = "Nothing is different." }: DiffProps) {
  const isNarrow = useIsNarrow();
  const rows = useMemo(() => diff(before, after), [before, after]);
  const { added, removed } = counts(rows);
  if (added + removed === 0) return <p className="muted">{same}</p>;
  return (
    <div className="diff">
      <p className="muted">
        {counted(added, "line")} added, {counted(removed, "line")} removed
      </p>
      <div
        className="diff-frame"
        tabIndex={0}
        role="region"
        aria-label={`Differences between ${names[0]} and ${names[1]}`}
      >
        <table className="diff-table">
          <colgroup>
            <col className="diff-number" />
            <col />
            {!isNarrow && <col className="diff-number" />}
            {!isNarrow && <col />}
          </colgroup>
          {!isNarrow && (
            <thead>
              <tr>
                <th scope="col" colSpan={2}>
                  {names[0]}
                </th>
                <th scope="col" colSpan={2}>
                  {names[1]}
                </th>
              </tr>
            </thead>
          )}
          <tbody>
            {parts(rows).map((part, place) => (
              <Stretch key={place} part={part} isNarrow={isNarrow} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Stretch({ part, isNarrow }: { part: Part; isNarrow: boolean }) {
  const [isShown, setShown] = useState(false);
  if ("leftOut" in part && !isShown) {
    return (
      <tr className="diff-left-out">
        <td colSpan={isNarrow ? 2 : 4}>
          <button type="button" className="as-link" onClick={() => setShown(true)}>
            {counted(part.leftOut.length, "line")} the same
          </button>
        </td>
      </tr>
    );
  }
  const rows = "rows" in part ? part.rows : part.leftOut;
  return rows.map((row, place) => (isNarrow ? <Unified key={place} row={row} /> : <Beside key={place} row={row} />));
}

function Beside({ row }: { row: Row }) {
  return (
    <tr>
      <Cell side={row.before} row={row} sign="removed" />
      <Cell side={row.after} row={row} sign="added" />
    </tr>
  );
}

function Unified({ row }: { row: Row }) {
  if (row.kind === "same") return <Line side={row.after} row={row} sign="added" />;
  return (
    <Fragment>
      {row.before !== null && <Line side={row.before} row={row} sign="removed" />}
      {row.after !== null && <Line side={row.after} row={row} sign="added" />}
    </Fragment>
  );
}

interface CellProps {
  side: Side | null;
  row: Row;
  sign: "removed" | "added";
}

const Line = (props: CellProps) => (
  <tr>
    <Cell {...props} />
  </tr>
);

function Cell({ side, row, sign }: CellProps) {
  const className = side === null ? "diff-none" : row.kind === "same" ? "" : `diff-${sign}`;
  return (
    <>
      <td className={`diff-number ${className}`}>{side?.line}</td>
      <td className={`diff-text ${className}`}>
        {side !== null && (
          <>
            {row.kind !== "same" && <span className="unseen">{sign}: </span>}
            <Words side={side} row={row} sign={sign} />
          </>
        )}
      </td>
    </>
  );
}

/** Marks what changed within a changed line. */
function Words({ side, row, sign }: { side: Side; row: Row; sign: "removed" | "added" }) {
  if (row.before === null || row.after === null || row.kind === "same") return side.text;
  const { start, end } = within(row.before.text, row.after.text);
  const last = side.text.length - end;
  return (
    <>
      {side.text.slice(0, start)}
      <mark className={`diff-word-${sign}`}>{side.text.slice(start, last)}</mark>
      {side.text.slice(last)}
    </>
  );
}
