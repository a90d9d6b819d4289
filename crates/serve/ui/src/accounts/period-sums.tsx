/** Sums a period: what subscribers had before it, what came and went, and what they have after it. */
import { type ReactNode, useState } from "react";

import { gateway } from "../api/gateway";
import type { AmountUnit, SummedBooks, UnitSums } from "../api/types";
import { Failure } from "../parts/failure";
import { TextField } from "../parts/field";
import { useDeed } from "../parts/load";
import { count } from "../parts/numbers";
import { type Column, Table } from "../parts/table";
import { Amount } from "./amount";
import { type Days, boundsOf } from "./entries";

interface PeriodSumsProps {
  days: Days;
  onDays: (days: Days) => void;
  /** More that is done with a period. */
  children: ReactNode;
}

export function PeriodSums({ days, onDays, children }: PeriodSumsProps) {
  const { isBusy, problem, run } = useDeed();
  const [sums, setSums] = useState<SummedBooks | null>(null);
  const sum = () =>
    run(async () => {
      setSums(null);
      setSums(await gateway.sums(boundsOf(days)));
    });
  const changed = (days: Days) => {
    setSums(null);
    onDays(days);
  };
  return (
    <>
      <div className="filters">
        <TextField label="From (UTC)" type="date" value={days.from} onValue={(from) => changed({ ...days, from })} />
        <TextField label="To, not included" type="date" value={days.to} onValue={(to) => changed({ ...days, to })} />
        <button type="button" className="button" disabled={isBusy} onClick={sum}>
          {isBusy ? "Summing…" : "Sum the period"}
        </button>
        {children}
      </div>
      {problem !== null && <Failure problem={problem} again={sum} />}
      {sums !== null && <Sums sums={sums} />}
    </>
  );
}

interface SumRow {
  what: string;
  unit: AmountUnit;
  entries: number | null;
  amount: string;
}

function Sums({ sums: { currency, units } }: { sums: SummedBooks }) {
  const rows = units.flatMap(rowsOf);
  if (rows.length === 0) return <p role="status">There are no entries.</p>;
  const columns: Column<SumRow>[] = [
    { name: "What", cell: ({ what }) => what, isWide: true },
    { name: "Entries", cell: ({ entries }) => (entries === null ? "" : count(entries)), isNumber: true },
    {
      name: "Amount",
      cell: ({ amount, unit }) => <Amount of={amount} unit={unit} currency={currency} />,
      isNumber: true,
    },
  ];
  return (
    <>
      <Table label="Sums of the period" columns={columns} rows={rows} rowKey={({ what, unit }) => `${unit} ${what}`} />
      <p className="muted">
        What went to the operator is positive, as in the figures below; what subscribers got is negative. What they had
        before, less all of this, is what they have after it.
      </p>
    </>
  );
}

const rowsOf = ({ unit, before, changes, after }: UnitSums): SumRow[] => [
  { what: "before", unit, entries: null, amount: before },
  ...changes.map(({ system, entries, amount }) => ({ what: system, unit, entries, amount })),
  { what: "after", unit, entries: null, amount: after },
];
