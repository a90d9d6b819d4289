/**
 * A table that becomes a list of cards in a narrow window. It sets roles, because browsers drop them with the table
 * layout.
 */
import { Fragment, type ReactNode, useId } from "react";

import { Icon } from "./icons";
import { type Column, type TableModel, columnId, useTableModel } from "./table-model";
import { useOwnView } from "./table-view";

export type { Column } from "./table-model";

interface Rows<T> {
  /** The content of the table, for screen readers. */
  label: string;
  rowKey: (row: T) => string | number;
  rowClass?: ((row: T) => string | undefined) | undefined;
  choice?: Choice<T> | undefined;
  /** What is shown below an opened row, over the whole width. Null for a row that is not open. */
  below?: ((row: T) => ReactNode) | undefined;
}

/** The selection of rows for an action. */
export interface Choice<T> {
  chosen: ReadonlySet<number>;
  number: (row: T) => number;
  name: (row: T) => string;
  change: (chosen: Set<number>) => void;
  /** Whether a row can be chosen. Without it, every row can. */
  may?: (row: T) => boolean;
}

/** A table that is sorted by a click at a column's name, as long as it is shown. */
export function Table<T>({ columns, rows, ...rest }: Rows<T> & { columns: Column<T>[]; rows: readonly T[] }) {
  const model = useTableModel({ columns, rows, view: useOwnView() });
  return <TableOf model={model} {...rest} />;
}

/** Shows rows and columns that are computed already. */
export function TableOf<T>({ label, model, rowKey, rowClass, choice, below }: Rows<T> & { model: TableModel<T> }) {
  const { columns, rows } = model;
  const width = columns.length + (choice === undefined ? 0 : 1);
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
              <Heading key={column.name} column={column} model={model} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <Fragment key={rowKey(row)}>
              <tr role="row" className={rowClass?.(row)}>
                {choice !== undefined && (
                  <td role="cell" className="cell-choice">
                    {(choice.may?.(row) ?? true) && <ChooseOne row={row} choice={choice} />}
                  </td>
                )}
                {columns.map((column) => (
                  <td key={column.name} role="cell" className={cellClass(column)} data-label={column.name}>
                    <div className="cell">{column.cell(row)}</div>
                  </td>
                ))}
              </tr>
              <Opened width={width}>{below?.(row)}</Opened>
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Opened({ width, children }: { width: number; children: ReactNode }) {
  if (children == null) return null;
  return (
    <tr role="row" className="row-opened">
      <td role="cell" colSpan={width}>
        <div className="opened">{children}</div>
      </td>
    </tr>
  );
}

function Heading<T>({ column, model }: { column: Column<T>; model: TableModel<T> }) {
  const sort = model.view.sort.find((each) => each.column === columnId(column));
  const order = sort === undefined ? "none" : sort.isDescending ? "descending" : "ascending";
  const isSortable = column.value !== undefined && !model.isFixed;
  return (
    <th
      role="columnheader"
      scope="col"
      className={cellClass(column)}
      aria-sort={isSortable && sort !== undefined ? order : undefined}
    >
      {isSortable ? (
        <button
          type="button"
          className={`sort sort-${order}`}
          title="Sort. With the shift key: sort by this, too"
          onClick={(event) => model.toggleSort(column, event.shiftKey)}
        >
          {column.name}
          <Icon name="sort" size={12} />
        </button>
      ) : (
        column.name
      )}
    </th>
  );
}

const cellClass = <T,>(column: Column<T>) =>
  [column.isNumber === true && "cell-number", column.isWide === true && "cell-wide"].filter(Boolean).join(" ") ||
  undefined;

function ChooseAll<T>({ rows, choice }: { rows: readonly T[]; choice: Choice<T> }) {
  const id = useId();
  const all = rows.filter((row) => choice.may?.(row) ?? true).map(choice.number);
  const isAll = all.length > 0 && all.every((number) => choice.chosen.has(number));
  const isSome = all.some((number) => choice.chosen.has(number));
  return (
    <label className="tick" htmlFor={id}>
      <input
        id={id}
        type="checkbox"
        aria-label="Choose all that are shown"
        disabled={all.length === 0}
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
