/** The records in suspense: by reason and one by one, with the actions on them. */
import { type ComponentProps, useMemo, useState } from "react";

import { said } from "../api/client";
import { type SuspenseChoice, gateway } from "../api/gateway";
import type { SuspenseFilter, SuspenseRecord } from "../api/types";
import { useLive } from "../live/live";
import { Actions } from "../parts/actions";
import { ActiveFilters } from "../parts/active-filters";
import { Count } from "../parts/count";
import { Failure } from "../parts/failure";
import { SelectField, TextField } from "../parts/field";
import { List } from "../parts/list";
import { useLoad, usePages } from "../parts/load";
import { NodeFilter } from "../parts/node-filter";
import { count, counted } from "../parts/numbers";
import { Empty, Page } from "../parts/page";
import { PeriodFilter, periodOf } from "../parts/period";
import { useMay } from "../parts/session";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { Link, changeWords, useAddress, useWord } from "../router/router";
import { DiscardDialog } from "./discard-dialog";
import { Groups } from "./groups";
import { narrowingOf } from "./narrowing";
import { ReopenDialog } from "./reopen-dialog";
import { RetryDialog } from "./retry-dialog";
import { TakeBackDialog } from "./take-back-dialog";

const STATES = ["open", "retried", "discarded", "all"] as const;

/**
 * Returns the filter of an address. `unread` selects the records that could not be read: they have no node, and an
 * empty parameter is no condition.
 */
export function filterOf(query: URLSearchParams, now: number): SuspenseFilter {
  const state = STATES.find((known) => known === query.get("state"));
  const filter: SuspenseFilter = { state: state ?? "open" };
  for (const key of ["network_element", "file", "node", "reason", "code", "template", "value"] as const) {
    const value = query.get(key);
    if (value !== null && value !== "") filter[key] = value;
  }
  if (query.get("unread") === "true") filter.node = "";
  Object.assign(filter, said({ ...periodOf(query).bounds(now) }));
  return filter;
}

const COLUMNS: Column<SuspenseRecord>[] = [
  {
    name: "Record",
    cell: (record) => <Link href={`/suspense/${record.id}`}>{record.id}</Link>,
    value: (record) => record.id,
    isDescendingFirst: true,
  },
  {
    name: "Why",
    isWide: true,
    cell: (record) => (
      <>
        {visible(record.reason)}
        <span className="below muted">{record.node === "" ? "could not be read" : `at ${record.node}`}</span>
      </>
    ),
    value: (record) => record.reason,
  },
  {
    name: "Code",
    isSpare: true,
    cell: (record) => <span className="fixed">{record.code}</span>,
    value: (record) => record.code,
  },
  { name: "Node", isSpare: true, cell: (record) => record.node, value: (record) => record.node },
  {
    name: "From",
    cell: (record) => (
      <>
        <span className="fixed">{visible(record.file)}</span>
        <span className="below muted">
          {record.network_element}, record {count(record.record)}
        </span>
      </>
    ),
    value: (record) => record.file,
  },
  {
    name: "Network element",
    isSpare: true,
    cell: (record) => record.network_element,
    value: (record) => record.network_element,
  },
  {
    name: "Record in file",
    isSpare: true,
    isNumber: true,
    cell: (record) => count(record.record),
    value: (record) => record.record,
  },
  {
    name: "Since",
    cell: (record) => <Moment at={record.since} />,
    value: (record) => record.since,
    isDescendingFirst: true,
  },
  {
    name: "State",
    cell: (record) => (
      <>
        <span className={`mark mark-${record.state === "open" ? "minor" : "quiet"}`}>{record.state}</span>
        <span className="below muted">
          {[
            record.why === "duplicate" && "duplicate",
            record.edited && "corrected",
            record.asked && "to be retried",
            record.retries > 0 && `retried ${count(record.retries)}×`,
          ]
            .filter(Boolean)
            .join(", ")}
        </span>
      </>
    ),
    value: (record) => record.state,
  },
  {
    name: "Corrected",
    isSpare: true,
    cell: (record) => record.edited && "corrected",
    value: (record) => record.edited,
  },
  {
    name: "Retries",
    isSpare: true,
    isNumber: true,
    cell: (record) => <Count of={record.retries} />,
    value: (record) => record.retries,
  },
];

function Nothing({ state }: { state: SuspenseFilter["state"] | "narrowed" }) {
  const [title, words] = NOTHING[state ?? "open"] ?? ["No such record", "No record fits what you ask for."];
  return (
    <Empty icon="check" title={title}>
      <p>{words}</p>
    </Empty>
  );
}

const NOTHING: Record<string, [string, string]> = {
  open: ["Nothing is in suspense", "All records that came were processed."],
  retried: ["Nothing was retried", "Records that were put through again are listed here."],
  discarded: ["Nothing was discarded", "Records that are given up are listed here, and can be opened again."],
};

type Deed = "retry" | "take-back" | "discard" | "reopen";

const DIALOGS = { retry: RetryDialog, "take-back": TakeBackDialog, discard: DiscardDialog, reopen: ReopenDialog };

function DeedDialog({ deed, ...props }: { deed: Deed } & ComponentProps<typeof RetryDialog>) {
  const Dialog = DIALOGS[deed];
  return <Dialog {...props} />;
}

export function SuspensePage() {
  const mayChange = useMay("operator");
  const { query } = useAddress();
  const period = periodOf(query);
  const [turn, setTurn] = useState(0);
  // A deed on all records is on those that are shown, though the last hour goes on.
  const now = useMemo(() => Date.now(), [period.key, turn]);
  const filter = filterOf(query, now);
  const key = JSON.stringify(filter);
  const open = useLive(({ now }) => now?.suspense_open ?? 0);
  const [element, setElement] = useWord("network_element");
  const [node] = useWord("node");
  const [file, setFile] = useWord("file");
  const [code] = useWord("code");
  const [value, setValue] = useWord("value");
  const [state, setState] = useWord("state");
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  // The question has the records that it was put for: those that are shown may be others by the time of the answer.
  const [asked, setAsked] = useState<{ deed: Deed; choice: SuspenseChoice; words: string } | null>(null);
  const groups = useLoad(() => gateway.alike(filter), [key]);
  const pages = usePages(
    async (before) => {
      const found = await gateway.suspense(filter, { before, limit: 50 });
      return { rows: found.records, more: found.more };
    },
    (record) => record.id,
    [key],
  );
  const all = groups.value?.records ?? 0;
  // Records that arrived after the count are not included.
  const upTo = groups.value?.last ?? 0;
  const isOpen = filter.state === "open";
  const isDiscarded = filter.state === "discarded";
  const narrowing = narrowingOf(query);
  const isNarrowed = narrowing.length > 0;
  // Only rows on the page count: the selection can have rows of an earlier filter.
  const meant = pages.rows?.flatMap(({ id }) => (chosen.has(id) ? [id] : [])) ?? [];
  const choice = meant.length > 0 ? { ids: meant } : { filter: { ...filter, up_to: upTo } };
  const words = meant.length > 0 ? counted(meant.length, "record") : `all ${counted(all, "record")}`;
  const put = (deed: Deed) => setAsked({ deed, choice, words });
  const areAsked = pages.rows?.some((row) => row.asked && (meant.length === 0 || chosen.has(row.id))) ?? false;
  const again = () => {
    setTurn(turn + 1);
    groups.again();
    pages.again();
  };
  const done = () => {
    setAsked(null);
    setChosen(new Set());
    again();
  };
  return (
    <Page
      title="Suspense"
      lead="Records that could not be processed wait here until somebody sees to them. No system got anything of them."
      actions={
        mayChange &&
        all > 0 &&
        (isDiscarded || isOpen) && (
          <Actions
            of={
              isDiscarded
                ? [{ name: `Open ${words} again…`, look: "main", run: () => put("reopen") }]
                : [
                    { name: `Retry ${words}…`, look: "main", run: () => put("retry") },
                    ...(areAsked ? [{ name: `Take back the retry of ${words}…`, run: () => put("take-back") }] : []),
                    { name: `Discard ${words}…`, look: "grave", run: () => put("discard") },
                  ]
            }
          />
        )
      }
    >
      <div className="filters">
        <NodeFilter label="Network element" kinds={["network-element"]} value={element} onValue={setElement} />
        <NodeFilter label="Node" value={node} onValue={(node) => changeWords({ node, unread: "" })} />
        <TextField label="File" type="search" value={file} onValue={setFile} />
        <TextField
          label="Code"
          type="search"
          value={code}
          // The reason that a link asks for is one of the code before.
          onValue={(code) => changeWords({ code, template: "" })}
        />
        <TextField label="Value in the reason" type="search" value={value} onValue={setValue} />
        <SelectField
          label="State"
          value={state}
          onValue={(value) => {
            setChosen(new Set());
            setState(value);
          }}
        >
          <option value="">open</option>
          <option value="retried">retried</option>
          <option value="discarded">discarded</option>
        </SelectField>
        <PeriodFilter />
      </div>
      {isNarrowed && <ActiveFilters filters={narrowing} all="/suspense" />}
      {groups.problem !== null && pages.problem === null && <Failure problem={groups.problem} again={done} />}
      {isOpen && open !== all && !isNarrowed && groups.value !== null && !groups.isLoading && (
        <p>
          <button type="button" className="button" onClick={done}>
            It is {counted(open, "record")} by now: look again
          </button>
        </p>
      )}
      {groups.value !== null && groups.value.groups.length > 0 && <Groups found={groups.value} query={query} />}
      <section className="section">
        {pages.rows !== null && pages.rows.length > 0 && <h2>Records</h2>}
        <List
          {...pages}
          again={again}
          label="Records in suspense"
          columns={COLUMNS}
          rowKey={(record) => record.id}
          choice={
            mayChange && (isOpen || isDiscarded)
              ? { chosen, change: setChosen, number: (row) => row.id, name: (row) => `record ${row.id}` }
              : undefined
          }
          empty={<Nothing state={isNarrowed ? "narrowed" : filter.state} />}
        />
      </section>
      {asked !== null && <DeedDialog {...asked} onClose={() => setAsked(null)} onDone={done} />}
    </Page>
  );
}
