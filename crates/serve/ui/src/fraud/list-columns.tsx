/** The columns of lists of keys, of their entries, and of what is different in an imported file. */
import type { DifferentListEntry, FraudListEntry } from "../api/types";
import { Count } from "../parts/count";
import { count } from "../parts/numbers";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { fraudListAddress } from "./address";
import { type KeyChange, type PlacedList, changeOf, deadBecause, entryInWords } from "./list-words";

const addressOf = ({ name, nodes }: PlacedList) => fraudListAddress(name, nodes[0] ?? "");

/** Of all lists. */
export const LIST_COLUMNS: Column<PlacedList>[] = [
  {
    name: "List",
    isWide: true,
    cell: (list) => (
      <>
        <Link href={addressOf(list)}>
          <strong>{visible(list.name)}</strong>
        </Link>
        {list.problem != null && <span className="below break list-problem">{visible(list.problem)}</span>}
      </>
    ),
    value: ({ name }) => name,
  },
  {
    name: "Nodes",
    cell: ({ nodes }) => nodes.join(", "),
    value: ({ nodes }) => nodes.join(", "),
  },
  {
    name: "Entries",
    isNumber: true,
    cell: ({ entries }) => entries != null && <Count of={entries} />,
    value: ({ entries }) => entries ?? null,
    isDescendingFirst: true,
  },
  {
    name: "Dead",
    isNumber: true,
    cell: (list) =>
      list.dead != null &&
      (list.dead === 0 ? (
        <Count of={0} />
      ) : (
        <Link href={`${addressOf(list)}&dead=true`} title="Entries that never mattered, or whose time is over">
          {count(list.dead)}
        </Link>
      )),
    value: ({ dead }) => dead ?? null,
    isDescendingFirst: true,
  },
];

const Ends = ({ at }: { at: string | null | undefined }) =>
  at == null ? <span className="muted">no end</span> : <span className="whole">{at}</span>;

/** Of a list. Each entry has a button to remove it, if the user may. */
export function entryColumns(onRemove: ((entry: FraudListEntry) => void) | null): Column<FraudListEntry>[] {
  const remove: Column<FraudListEntry> = {
    name: "Change",
    cell: (entry) => (
      <button
        type="button"
        className="button"
        aria-label={`Remove ${visible(entry.key)}…`}
        onClick={() => onRemove?.(entry)}
      >
        Remove…
      </button>
    ),
  };
  return [
    {
      name: "Key",
      cell: ({ key }) => (
        <>
          <span className="fixed break fraud-key">{visible(key)}</span>
          {key.endsWith("*") && <span className="below muted">all keys that begin so</span>}
        </>
      ),
      value: ({ key }) => key,
    },
    {
      name: "From",
      cell: ({ from }) => from != null && <span className="whole">{from}</span>,
      value: ({ from }) => from ?? null,
    },
    { name: "Until", cell: ({ until }) => <Ends at={until} />, value: ({ until }) => until ?? null },
    { name: "Source", cell: ({ source }) => visible(source ?? ""), value: ({ source }) => source ?? null },
    { name: "Added by", cell: ({ who }) => visible(who ?? ""), value: ({ who }) => who ?? null },
    {
      name: "Because",
      isWide: true,
      cell: ({ because }) => visible(because ?? ""),
      value: ({ because }) => because ?? null,
    },
    {
      name: "Hits",
      isNumber: true,
      cell: ({ hits }) => <Count of={hits} />,
      value: ({ hits }) => hits,
      isDescendingFirst: true,
    },
    {
      name: "Last hit",
      cell: (entry) => (
        <>
          {entry.last_hit != null && <Moment at={entry.last_hit} />}
          <DeadMark of={entry} />
        </>
      ),
      value: (entry) => entry.last_hit ?? null,
      isDescendingFirst: true,
    },
    ...(onRemove === null ? [] : [remove]),
    { name: "Line", isNumber: true, isSpare: true, cell: ({ line }) => line, value: ({ line }) => line },
    { name: "Dead", isSpare: true, cell: (entry) => <DeadMark of={entry} />, value: deadBecause },
  ];
}

/** Marks an entry that does nothing. */
export function DeadMark({ of }: { of: Pick<FraudListEntry, "over" | "hits"> }) {
  const because = deadBecause(of);
  return (
    because !== null && (
      <span className="below">
        <span className={`mark mark-${of.over ? "minor" : "quiet"}`}>{because}</span>
      </span>
    )
  );
}

const LOOKS: Record<KeyChange, string> = { added: "fine", removed: "critical", changed: "minor" };

const Entries = ({ of }: { of: DifferentListEntry["before"] }) =>
  of.map((entry, place) => (
    <span key={place} className="below break">
      {visible(entryInWords(entry)) || <span className="muted">only the key</span>}
    </span>
  ));

/** Of what an import changes. */
export const DIFFERENCE_COLUMNS: Column<DifferentListEntry>[] = [
  {
    name: "Change",
    cell: (of) => <span className={`mark mark-${LOOKS[changeOf(of)]}`}>{changeOf(of)}</span>,
    value: changeOf,
  },
  {
    name: "Key",
    cell: ({ key }) => <span className="fixed break fraud-key">{visible(key)}</span>,
    value: ({ key }) => key,
  },
  {
    name: "In the list",
    cell: ({ before }) => <Entries of={before} />,
    value: ({ before }) => before.map(entryInWords).join("; "),
  },
  {
    name: "In the file",
    cell: ({ after }) => <Entries of={after} />,
    value: ({ after }) => after.map(entryInWords).join("; "),
  },
];
