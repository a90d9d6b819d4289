/**
 * A table that becomes a list of cards in a narrow window. It sets roles, because browsers drop them with the table
 * layout.
 */
import { type ReactNode, useId } from "react";

export interface Column<T> {
  name: string;
  cell: (row: T) => ReactNode;
  isNumber?: boolean;
  /** Takes the remaining width. */
  isWide?: boolean;
}

interface TableProps<T> {
  /** The content of the table, for screen readers. */
  label: string;
  columns: Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
  rowClass?: (row: T) => string | undefined;
  choice?: Choice<T>;
}

/** The selection of rows for an action. */
export interface Choice<T> {
  chosen: ReadonlySet<number>;
  number: (row: T) => number;
  name: (row: T) => string;
  change: (chosen: Set<number>) => void;
}

export function Table<T>({ label, columns, rows, rowKey, rowClass, choice }: TableProps<T>) {
  return (
    <div className="table-frame">
      <table className="table" role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {choice !== undefined && (
              <th role="columnheader" className="cell-choice">
                <ChooseAll rows={rows} choice={choice} />
              </th>
            )}
            {columns.map((column) => (
              <th key={column.name} role="columnheader" scope="col" className={cellClass(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row" className={rowClass?.(row)}>
              {choice !== undefined && (
                <td role="cell" className="cell-choice">
                  <ChooseOne row={row} choice={choice} />
                </td>
              )}
              {columns.map((column) => (
                <td key={column.name} role="cell" className={cellClass(column)} data-label={column.name}>
                  <div className="cell">{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const cellClass = <T,>(column: Column<T>) =>
  [column.isNumber === true && "cell-number", column.isWide === true && "cell-wide"].filter(Boolean).join(" ") ||
  undefined;

function ChooseAll<T>({ rows, choice }: { rows: readonly T[]; choice: Choice<T> }) {
  const id = useId();
  const all = rows.map(choice.number);
  const isAll = all.length > 0 && all.every((number) => choice.chosen.has(number));
  const isSome = all.some((number) => choice.chosen.has(number));
  return (
    <label className="tick" htmlFor={id}>
      <input
        id={id}
        type="checkbox"
        aria-label="Choose all that are shown"
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = isSome && !isAll;
        }}
        onChange={() => choice.change(new Set(isAll ? [] : all))}
      />
    </label>
  );
}

function ChooseOne<T>({ row, choice }: { row: T; choice: Choice<T> }) {
  const number = choice.number(row);
  const change = () => {
    const next = new Set(choice.chosen);
    if (!next.delete(number)) next.add(number);
    choice.change(next);
  };
  return (
    <label className="tick">
      <input
        type="checkbox"
        aria-label={`Choose ${choice.name(row)}`}
        checked={choice.chosen.has(number)}
        onChange={change}
      />
    </label>
  );
}

/** A button that loads older rows. */
export function More({ hasMore, more }: { hasMore: boolean; more: () => void }) {
  if (!hasMore) return null;
  return (
    <div className="more">
      <button type="button" className="button" onClick={more}>
        Show more
      </button>
    </div>
  );
}
