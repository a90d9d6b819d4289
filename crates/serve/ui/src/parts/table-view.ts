/**
 * The view of a table: its order and its columns. The view of a list is in the address, so that a link shows the same;
 * smaller tables hold theirs.
 */
import { useMemo, useState } from "react";

import { changeWords, useAddress } from "../router/router";

export interface Sort {
  column: string;
  isDescending: boolean;
}

export interface TableView {
  /** The order, the most significant column first. Empty for the order of the rows as they are. */
  sort: readonly Sort[];
  /** The columns to show, by their identifiers. Null for the default. */
  columns: readonly string[] | null;
  setSort: (sort: readonly Sort[]) => void;
  setColumns: (columns: readonly string[] | null) => void;
}

/** Writes an order for the address: `-records,file` is the largest first, and by name among equals. */
export const sortText = (sort: readonly Sort[]) =>
  sort.map(({ column, isDescending }) => (isDescending ? `-${column}` : column)).join(",");

export function sortOf(text: string): Sort[] {
  return words(text).map((word) =>
    word.startsWith("-") ? { column: word.slice(1), isDescending: true } : { column: word, isDescending: false },
  );
}

const words = (text: string) => text.split(",").filter((word) => word !== "");

/** Returns the view that the address has, in the parameters `sort` and `columns`. */
export function useAddressView(): TableView {
  const { query } = useAddress();
  const sort = query.get("sort") ?? "";
  const columns = query.get("columns") ?? "";
  return useMemo(
    () => ({
      sort: sortOf(sort),
      columns: columns === "" ? null : words(columns),
      setSort: (next) => changeWords({ sort: sortText(next) }),
      setColumns: (next) => changeWords({ columns: (next ?? []).join(",") }),
    }),
    [sort, columns],
  );
}

export function useOwnView(): TableView {
  const [sort, setSort] = useState<readonly Sort[]>([]);
  const [columns, setColumns] = useState<readonly string[] | null>(null);
  return useMemo(() => ({ sort, columns, setSort, setColumns }), [sort, columns]);
}
