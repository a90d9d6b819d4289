/** The history of an account, the newest entry first. Each entry opens to what it is for, and how it came to its amount. */
import { useEffect, useState } from "react";

import { gateway } from "../api/gateway";
import type { HistoryEntry } from "../api/types";
import { Failure } from "../parts/failure";
import { SelectField, TextField } from "../parts/field";
import { Icon } from "../parts/icons";
import { Sublist } from "../parts/list";
import { usePages } from "../parts/load";
import { count } from "../parts/numbers";
import { Waiting } from "../parts/page";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { useWord } from "../router/router";
import { Amount } from "./amount";
import { compareAmounts } from "./amounts";
import { boundsOf } from "./entries";
import { Why } from "./why";
import { MAIN, bucketName, makerOf, purposeOf } from "./words";

/** The accounts of the operator, and the entries of each in words. */
const SYSTEMS = [
  ["revenue", "charges and refunds"],
  ["refill", "refills"],
  ["adjustment", "adjustments"],
  ["transfer", "transfers"],
  ["bundle", "bundles"],
  ["fee", "fees"],
  ["bonus", "bonuses"],
  ["expired", "expired"],
  ["orphan", "usage of unknown sessions"],
] as const;

interface HistoryProps {
  name: string;
  /** The number of the last entry. */
  entries: number;
  /** Null if the user may not. */
  onReverse: ((entry: HistoryEntry) => void) | null;
}

export function History({ name, entries, onReverse }: HistoryProps) {
  const [shown, setShown] = useState(entries);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [currency, setCurrency] = useState("");
  const [system, setSystem] = useWord("system");
  const [from, setFrom] = useWord("from");
  const [to, setTo] = useWord("to");
  const isFiltered = [system, from, to].some((word) => word !== "");
  const pages = usePages(
    async (before) => {
      const filter = { ...boundsOf({ from, to }), ...(system === "" ? {} : { system }) };
      const found = await gateway.accountHistory(name, { ...filter, before, limit: 50 });
      setCurrency(found.currency);
      return { rows: found.entries, more: found.more };
    },
    ({ entry }) => entry,
    [name, system, from, to],
    [shown],
  );
  const { hasOlder } = pages;
  useEffect(() => {
    // Loading again would drop the older entries.
    if (!hasOlder) setShown(entries);
  }, [entries, hasOlder]);
  const toggle = (entry: number) => {
    const next = new Set(opened);
    if (!next.delete(entry)) next.add(entry);
    setOpened(next);
  };
  return (
    <section className="section" aria-label="History">
      <div className="section-head">
        <h2>History</h2>
        {entries > shown && (
          <button type="button" className="button" onClick={() => setShown(entries)}>
            {count(entries - shown)} more since then: show them
          </button>
        )}
      </div>
      <div className="filters">
        <SelectField label="Entries" value={system} onValue={setSystem}>
          <option value="">all</option>
          {SYSTEMS.map(([word, words]) => (
            <option key={word} value={word}>
              {words}
            </option>
          ))}
        </SelectField>
        <TextField label="From (UTC)" type="date" value={from} onValue={setFrom} />
        <TextField label="To, not included" type="date" value={to} onValue={setTo} />
      </div>
      {pages.problem !== null && <Failure problem={pages.problem} again={pages.again} />}
      {pages.rows === null && pages.problem === null && <Waiting />}
      {pages.rows?.length === 0 && (
        <p className="muted">
          {isFiltered ? "There are no such entries." : "Nothing was paid, refilled or corrected yet."}
        </p>
      )}
      {pages.rows !== null && pages.rows.length > 0 && (
        <Sublist
          label="History"
          columns={columnsOf(currency, opened, toggle)}
          rows={pages.rows}
          rowKey={({ entry }) => entry}
          hasMore={pages.hasMore}
          more={pages.more}
          below={(entry) =>
            opened.has(entry.entry) ? (
              <Why entry={entry} entries={pages.rows ?? []} currency={currency} onReverse={onReverse} />
            ) : null
          }
        />
      )}
    </section>
  );
}

function columnsOf(
  currency: string,
  opened: ReadonlySet<number>,
  toggle: (entry: number) => void,
): Column<HistoryEntry>[] {
  return [
    {
      name: "Time",
      cell: ({ entry, at }) => (
        <button
          type="button"
          className={opened.has(entry) ? "opener is-open" : "opener"}
          aria-expanded={opened.has(entry)}
          title="Why?"
          onClick={() => toggle(entry)}
        >
          <Icon name="next" size={12} />
          <Moment at={at} />
          <span className="unseen"> Why entry {entry}</span>
        </button>
      ),
      value: ({ at }) => at,
      isDescendingFirst: true,
    },
    {
      name: "Amount",
      isNumber: true,
      cell: ({ amount, unit }) => (
        <span className={amount.startsWith("-") ? undefined : "credited"}>
          <Amount of={amount} unit={unit} currency={currency} />
        </span>
      ),
      value: ({ amount }) => amount,
      compare: (one, other) => compareAmounts(one.amount, other.amount),
    },
    {
      name: "Balance",
      isNumber: true,
      cell: ({ balance, unit, bucket, bucket_offer }) => (
        <>
          <Amount of={balance} unit={unit} currency={currency} />
          {bucket !== MAIN && <span className="below muted">{bucketName(bucket, bucket_offer)}</span>}
        </>
      ),
      value: ({ balance }) => balance,
      compare: (one, other) => compareAmounts(one.balance, other.balance),
    },
    { name: "For", isWide: true, cell: purposeOf, value: purposeOf },
    { name: "By", cell: makerOf, value: makerOf },
    { name: "Entry", isSpare: true, isNumber: true, cell: ({ entry }) => entry, value: ({ entry }) => entry },
    {
      name: "Reason",
      isSpare: true,
      cell: ({ remark }) => remark?.because,
      value: ({ remark }) => remark?.because ?? null,
    },
  ];
}
