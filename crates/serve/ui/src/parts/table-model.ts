/** Which rows and columns a table shows, and in which order, computed by TanStack Table. */
import {
  type ColumnDef,
  columnVisibilityFeature,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type ReactNode, useMemo } from "react";

import type { TableView } from "./table-view";

/** What a cell is in an order and in an export. */
export type Value = string | number | bigint | boolean | null;

export interface Column<T> {
  name: string;
  cell: (row: T) => ReactNode;
  /** The value to sort by and to export. A column without one, such as a column of buttons, has neither. */
  value?: (row: T) => Value | undefined;
  /** The order of rows by this column, if it is not that of the values. */
  compare?: (one: T, other: T) => number;
  isNumber?: boolean;
  /** Whether the largest value, or the latest time, comes first when the table is sorted by it. */
  isDescendingFirst?: boolean;
  /** Takes the remaining width. */
  isWide?: boolean;
  /** Whether it is shown only if it is chosen. */
  isSpare?: boolean;
}

/** Identifies a column in addresses and exports: `Network element` is `network_element`. */
export const columnId = (column: { name: string }) =>
  column.name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_|_$/g, "");

const natural = new Intl.Collator("en", { numeric: true });

/** Compares values of a column. Text with numbers in it is compared by the numbers: `file-9` comes before `file-10`. */
export function compare(one: Value, other: Value): number {
  if (isNumber(one) && isNumber(other)) return one < other ? -1 : one > other ? 1 : 0;
  return natural.compare(String(one), String(other));
}

const isNumber = (value: Value) => typeof value === "number" || typeof value === "bigint";

const features = tableFeatures({ columnVisibilityFeature, rowSortingFeature, sortedRowModel: createSortedRowModel() });

export interface TableModel<T> {
  /** The columns to show. */
  columns: Column<T>[];
  /** All columns, for the choice of columns. */
  all: readonly Column<T>[];
  /** The rows in their order. */
  rows: T[];
  view: TableView;
  /** Whether the order of the rows means something, and cannot be changed. */
  isFixed: boolean;
  /** Changes the order by a click at a column's name: ascending, descending, none. With `isMore`, it sorts by more. */
  toggleSort: (column: Column<T>, isMore: boolean) => void;
}

interface ModelProps<T> {
  columns: readonly Column<T>[];
  rows: readonly T[];
  view: TableView;
  isFixed?: boolean;
}

export function useTableModel<T>({ columns, rows, view, isFixed = false }: ModelProps<T>): TableModel<T> {
  const definitions = useMemo(() => columns.map((column) => definitionOf(column)), [columns]);
  const lines = useMemo(() => rows.map((row) => ({ row })), [rows]);
  const shown = shownColumns(columns, view);
  const table = useTable({
    features,
    columns: definitions,
    data: lines,
    state: {
      sorting: isFixed
        ? []
        : view.sort.map(({ column, isDescending }) => ({ id: column, desc: isDescending })).filter(isKnown(columns)),
      columnVisibility: Object.fromEntries(columns.map((column) => [columnId(column), shown.has(columnId(column))])),
    },
    onSortingChange: (change) => {
      const before = view.sort.map(({ column, isDescending }) => ({ id: column, desc: isDescending }));
      const next = typeof change === "function" ? change(before) : change;
      view.setSort(next.map(({ id, desc }) => ({ column: id, isDescending: desc })));
    },
  });
  const visible = new Set(table.getVisibleLeafColumns().map((column) => column.id));
  return {
    columns: columns.filter((column) => visible.has(columnId(column))),
    all: columns,
    rows: table.getRowModel().rows.map(({ original }) => original.row),
    view,
    isFixed,
    toggleSort: (column, isMore) => table.getColumn(columnId(column))?.toggleSorting(undefined, isMore),
  };
}

/** A row as the library has it: it takes objects only. */
interface Line<T> {
  row: T;
}

const definitionOf = <T>(column: Column<T>): ColumnDef<typeof features, Line<T>> => ({
  id: columnId(column),
  // The library puts undefined values last in both directions.
  accessorFn: ({ row }) => column.value?.(row) ?? undefined,
  enableSorting: column.value !== undefined,
  sortUndefined: "last",
  sortDescFirst: column.isNumber === true || column.isDescendingFirst === true,
  sortFn: (one, other, id) =>
    column.compare?.(one.original.row, other.original.row) ??
    compare(one.getValue<Value>(id), other.getValue<Value>(id)),
});

/** Leaves out what an address says of columns that this table does not have, or cannot be sorted by. */
const isKnown =
  <T>(columns: readonly Column<T>[]) =>
  ({ id }: { id: string }) =>
    columns.some((column) => columnId(column) === id && column.value !== undefined);

/** Returns the columns to show: the chosen ones, if the table has any of them, or the default. */
function shownColumns<T>(columns: readonly Column<T>[], view: TableView): Set<string> {
  const chosen = columns.map(columnId).filter((id) => view.columns?.includes(id));
  return new Set(chosen.length > 0 ? chosen : columns.filter((column) => column.isSpare !== true).map(columnId));
}
