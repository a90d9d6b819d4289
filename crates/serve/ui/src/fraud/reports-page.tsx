/** Reports: what was found in a period, and what became of it. */
import { useMemo } from "react";

import { gateway } from "../api/gateway";
import type { FraudReportBy, FraudReportRow } from "../api/types";
import { Count } from "../parts/count";
import { SelectField } from "../parts/field";
import { List } from "../parts/list";
import { useLoad } from "../parts/load";
import { count } from "../parts/numbers";
import { Empty } from "../parts/page";
import { PeriodFilter, usePeriod } from "../parts/period";
import type { Column } from "../parts/table";
import { visible } from "../parts/visible";
import { changeWords, useWord } from "../router/router";
import { DayBars } from "./day-bars";
import { FraudFrame } from "./fraud-frame";

const BY: readonly [FraudReportBy, string][] = [
  ["rule", "Rule"],
  ["type", "Type of fraud"],
  ["element", "Network element"],
  ["day", "Day"],
  ["hour", "Hour"],
];

const figure = (name: string, of: (row: FraudReportRow) => number | null | undefined): Column<FraudReportRow> => ({
  name,
  isNumber: true,
  cell: (row) => (of(row) == null ? "" : <Count of={of(row)!} />),
  value: (row) => of(row) ?? null,
  isDescendingFirst: true,
});

const FIGURES: Column<FraudReportRow>[] = [
  figure("Alerts", ({ alerts }) => alerts),
  figure("Tried out", ({ shadow }) => shadow),
  figure("Points", ({ points }) => points),
  figure("Cases", ({ cases }) => cases),
  figure("Fraud", ({ fraud }) => fraud),
  figure("Not fraud", ({ not_fraud }) => not_fraud),
  figure("Unsure", ({ unsure }) => unsure),
];

const ACTIONS = figure("Actions", ({ actions }) => actions);

const RECORDS: Column<FraudReportRow>[] = [
  figure("Records", ({ records }) => records),
  figure("Too late", ({ late }) => late),
];

/** Returns the columns of a report: those that its rows have. */
function columnsOf(by: FraudReportBy, name: string): Column<FraudReportRow>[] {
  const of: Column<FraudReportRow> = {
    name,
    isWide: true,
    cell: (row) => (row.of === "" ? <span className="muted">none</span> : visible(row.of)),
    value: (row) => row.of,
  };
  const node: Column<FraudReportRow> = {
    name: "Node",
    isSpare: true,
    cell: (row) => row.node,
    value: (row) => row.node ?? null,
  };
  const isOfRules = by === "rule" || by === "type";
  return [
    of,
    ...(by === "rule" ? [node] : []),
    ...(isOfRules ? [] : RECORDS),
    ...FIGURES,
    ...(by === "element" ? [] : [ACTIONS]),
  ];
}

export function ReportsPage() {
  const [word] = useWord("by");
  const [by, name] = BY.find(([value]) => value === word) ?? BY[0]!;
  const period = usePeriod();
  const days = useLoad(() => gateway.fraudReport({ by: "day", ...period.bounds(Date.now()) }), [period.key]);
  const loaded = useLoad(() => gateway.fraudReport({ by, ...period.bounds(Date.now()) }), [period.key, by]);
  const columns = useMemo(() => columnsOf(by, name), [by, name]);
  const total = days.value?.total;
  return (
    <FraudFrame lead="What rules have found, and what became of it, of the last 30 days if you choose no period. All is counted when it came to be, by the clock of the gateway.">
      <div className="filters">
        <SelectField
          label="By"
          value={by}
          onValue={(value) => changeWords({ by: value === "rule" ? "" : value, sort: "" })}
        >
          {BY.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </SelectField>
        <PeriodFilter />
      </div>
      {total !== undefined && (
        <p>
          {count(total.records ?? 0)} records, of which {count(total.late ?? 0)} came too late; {count(total.alerts)}{" "}
          alerts, {count(total.cases)} cases, {count(total.fraud)} of them decided to be fraud in this time.
        </p>
      )}
      {days.value !== null && days.value.rows.length > 0 && (
        <DayBars label="Alerts" values={days.value.rows.map(({ of, alerts }) => ({ day: of, value: alerts }))} />
      )}
      <List
        problem={loaded.problem ?? days.problem}
        again={() => {
          days.again();
          loaded.again();
        }}
        rows={loaded.value?.rows ?? null}
        label={`Fraud report by ${name.toLowerCase()}`}
        columns={columns}
        rowKey={({ node, of }) => `${node ?? ""} ${of}`}
        empty={
          <Empty icon="fraud" title="Nothing was judged in this time">
            <p>Choose a longer period. Reports begin with the version of the gateway that counts for them.</p>
          </Empty>
        }
      />
    </FraudFrame>
  );
}
