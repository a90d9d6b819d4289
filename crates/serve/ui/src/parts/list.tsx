/**
 * A list of a page: a table with its order, columns, saved views, export and live refresh. All of its state is in the
 * address.
 */
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";

import type { Refusal } from "../api/client";
import { useLive } from "../live/live";
import { Link, useAddress, useWord } from "../router/router";
import { FORMATS, FORMAT_NAMES, type Format, exported, fileName, save } from "./export";
import { useOffer } from "./actions";
import { Failure } from "./failure";
import { SelectField, TextField } from "./field";
import { Icon } from "./icons";
import { Menu } from "./menu";
import { counted } from "./numbers";
import { Waiting } from "./page";
import { useSession } from "./session";
import { type Choice, More, TableOf } from "./table";
import { type Column, type TableModel, columnId, useTableModel } from "./table-model";
import { useAddressView, useOwnView } from "./table-view";
import { type SavedView, VIEW_NAME_LENGTH_MAX, useViews, viewAddress, withView, withoutView } from "./views";

interface ListProps<T> {
  /** The content of the list, for screen readers and the names of exported files. */
  label: string;
  columns: readonly Column<T>[];
  /** Null while the first rows are loading. */
  rows: readonly T[] | null;
  problem: Refusal | null;
  /** Loads the rows again. */
  again: () => void;
  hasMore?: boolean;
  more?: () => void;
  /** Whether older rows were loaded, too. Loading again would drop them. */
  hasOlder?: boolean;
  rowKey: (row: T) => string | number;
  rowClass?: (row: T) => string | undefined;
  choice?: Choice<T> | undefined;
  /** Shown if there are no rows. */
  empty: ReactNode;
  /** Whether the order of the rows means something, and cannot be changed. */
  isFixed?: boolean;
}

const NO_ROWS: readonly never[] = [];

export function List<T>(props: ListProps<T>) {
  const { label, rows, problem, again, hasMore = false, more, hasOlder = false, empty } = props;
  const view = useAddressView();
  const model = useTableModel({ columns: props.columns, rows: rows ?? NO_ROWS, view, isFixed: props.isFixed ?? false });
  return (
    <div className="list">
      {problem !== null && <Failure problem={problem} again={again} />}
      {rows === null && problem === null && <Waiting />}
      {rows !== null && (
        <div className="list-tools" role="group" aria-label={`${label}: tools`}>
          <Count model={model} hasMore={hasMore} />
          <Refresh again={again} hasOlder={hasOlder} />
          <Display model={model} />
          <Views />
          <Export label={label} model={model} />
        </div>
      )}
      {rows?.length === 0 && empty}
      {rows !== null && rows.length > 0 && (
        <TableOf label={label} model={model} rowKey={props.rowKey} rowClass={props.rowClass} choice={props.choice} />
      )}
      <More hasMore={hasMore} more={() => more?.()} />
    </div>
  );
}

interface SublistProps<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
  rowClass?: (row: T) => string | undefined;
  choice?: Choice<T> | undefined;
  hasMore?: boolean;
  more?: () => void;
  below?: (row: T) => ReactNode;
}

/**
 * A list within a page that is about something else, or has another list: with its order, columns and export. Its view
 * is not in the address, so it is not part of saved views.
 */
export function Sublist<T>(props: SublistProps<T>) {
  const { label, columns, rows, hasMore = false, more, ...rest } = props;
  const model = useTableModel({ columns, rows, view: useOwnView() });
  return (
    <div className="list">
      <div className="list-tools" role="group" aria-label={`${label}: tools`}>
        <Count model={model} hasMore={hasMore} />
        <Display model={model} />
        <Export label={label} model={model} />
      </div>
      <TableOf label={label} model={model} {...rest} />
      <More hasMore={hasMore} more={() => more?.()} />
    </div>
  );
}

/** Says how many rows are loaded. An order is one of these rows only, which matters while there are more. */
function Count<T>({ model, hasMore }: { model: TableModel<T>; hasMore: boolean }) {
  const isSorted = model.view.sort.length > 0;
  return (
    <span className="list-count muted" role="status">
      {model.rows.length > 0 && counted(model.rows.length, "row")}
      {hasMore && (isSorted ? ", sorted among these; there are more" : ", there are more")}
    </span>
  );
}

/** The interval of the live refresh. A list that the gateway must read from its journal need not follow each second. */
const REFRESH_MS = 5_000;

function Refresh({ again, hasOlder }: { again: () => void; hasOlder: boolean }) {
  const [live, setLive] = useWord("live");
  const isConnected = useLive((state) => state.isConnected);
  const isOn = live === "true";
  const follow = () => setLive(isOn ? "" : "true");
  useOffer([
    { name: "Look again", run: again },
    { name: isOn ? "Stop following" : "Follow", run: follow },
  ]);
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    if (!isOn || !isConnected || hasOlder) return;
    const timer = setInterval(() => latest.current(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isOn, isConnected, hasOlder]);
  return (
    <>
      <button
        type="button"
        className="button"
        aria-pressed={isOn}
        title={isOn && hasOlder ? "Paused: older rows are shown" : "Look again every 5 seconds"}
        onClick={follow}
      >
        {isOn && hasOlder ? "Paused" : "Follow"}
      </button>
      <button type="button" className="button" aria-label="Look again" title="Look again" onClick={again}>
        <Icon name="again" size={16} />
      </button>
    </>
  );
}

/** The order and the columns. In a narrow window, the table has no headings to sort by. */
function Display<T>({ model }: { model: TableModel<T> }) {
  const { all, columns, view, isFixed } = model;
  const first = view.sort[0];
  const sortable = all.filter((column) => column.value !== undefined);
  const shown = columns.map(columnId);
  const toggle = (column: Column<T>) => {
    const id = columnId(column);
    const next = shown.includes(id) ? shown.filter((each) => each !== id) : [...shown, id];
    if (next.length > 0) view.setColumns(next);
  };
  return (
    <Menu label="Display" icon="display">
      {() => (
        <>
          {!isFixed && (
            <SelectField
              label="Sort by"
              value={first === undefined ? "" : `${first.isDescending ? "-" : ""}${first.column}`}
              onValue={(value) =>
                view.setSort(
                  value === "" ? [] : [{ column: value.replace(/^-/, ""), isDescending: value.startsWith("-") }],
                )
              }
            >
              <option value="">the usual order</option>
              {sortable.map((column) => (
                <option key={column.name} value={columnId(column)}>
                  {column.name}, ascending
                </option>
              ))}
              {sortable.map((column) => (
                <option key={column.name} value={`-${columnId(column)}`}>
                  {column.name}, descending
                </option>
              ))}
            </SelectField>
          )}
          <fieldset>
            <legend className="label">Columns</legend>
            {all.map((column) => (
              <label key={column.name} className="menu-choice">
                <input type="checkbox" checked={shown.includes(columnId(column))} onChange={() => toggle(column)} />
                {column.name}
              </label>
            ))}
          </fieldset>
          <button
            type="button"
            className="button"
            disabled={view.columns === null}
            onClick={() => view.setColumns(null)}
          >
            Usual columns
          </button>
        </>
      )}
    </Menu>
  );
}

function Views() {
  const { path, query } = useAddress();
  const { session } = useSession();
  const [views, setViews] = useViews(session.name);
  const [name, setName] = useState("");
  const here = query.toString();
  const ofList = views.filter((view) => view.path === path);
  const current: SavedView = { path, name: name.trim(), query: here };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setViews(withView(views, current));
    setName("");
  };
  return (
    <Menu label="Views" icon="bookmark">
      {(close) => (
        <>
          {ofList.length === 0 ? (
            <p className="muted">No view is saved for this list. A view has its filters, order and columns.</p>
          ) : (
            <ul>
              {ofList.map((view) => (
                <li key={view.name} className="menu-row">
                  <Link
                    href={viewAddress(view)}
                    aria-current={view.query === here ? "page" : undefined}
                    onClick={close}
                  >
                    {view.name}
                  </Link>
                  <button
                    type="button"
                    className="button button-quiet"
                    aria-label={`Delete the view ${view.name}`}
                    onClick={() => setViews(withoutView(views, view))}
                  >
                    <Icon name="remove" size={16} />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <form className="menu-form" onSubmit={submit}>
            <TextField label="Save this view as" value={name} maxLength={VIEW_NAME_LENGTH_MAX} onValue={setName} />
            <button type="submit" className="button" disabled={current.name === ""}>
              Save
            </button>
          </form>
        </>
      )}
    </Menu>
  );
}

function Export<T>({ label, model }: { label: string; model: TableModel<T> }) {
  const isEmpty = model.rows.length === 0;
  const run = (format: Format) =>
    save(fileName(label, format, new Date()), FORMATS[format].type, exported(format, model.columns, model.rows));
  useOffer(
    FORMAT_NAMES.map((format) => ({
      name: `Export ${label} as ${FORMATS[format].name}`,
      isDisabled: isEmpty,
      run: () => run(format),
    })),
  );
  return (
    <Menu label="Export" icon="export" isDisabled={isEmpty}>
      {(close) => (
        <>
          <p className="muted">The rows and columns that are shown.</p>
          {FORMAT_NAMES.map((format) => (
            <button
              key={format}
              type="button"
              className="button"
              onClick={() => {
                run(format);
                close();
              }}
            >
              {FORMATS[format].name}
            </button>
          ))}
        </>
      )}
    </Menu>
  );
}
