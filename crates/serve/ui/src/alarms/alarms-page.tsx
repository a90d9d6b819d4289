/** The alarms, the worst first, with their acknowledgements. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Alarm, Severity } from "../api/types";
import { useLive } from "../live/live";
import { Actions } from "../parts/actions";
import { List } from "../parts/list";
import { usePages } from "../parts/load";
import { counted } from "../parts/numbers";
import { Empty, Page } from "../parts/page";
import { PeriodFilter, usePeriod } from "../parts/period";
import { useMay } from "../parts/session";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { Link, useAddress } from "../router/router";
import { AcknowledgeDialog } from "./acknowledge-dialog";

const RANK: Record<Severity, number> = { critical: 0, major: 1, minor: 2, warning: 3, indeterminate: 4, cleared: 5 };

/** Sorts alarms: unacknowledged, acknowledged, cleared; within each, the worst first and then the newest. */
export function worstFirst(alarms: readonly Alarm[]): Alarm[] {
  const seen = (alarm: Alarm) => (alarm.cleared != null ? 2 : alarm.acknowledged == null ? 0 : 1);
  return [...alarms].sort(
    (one, other) => seen(one) - seen(other) || RANK[one.severity] - RANK[other.severity] || other.id - one.id,
  );
}

const COLUMNS: Column<Alarm>[] = [
  {
    name: "Severity",
    cell: (alarm) => <span className={`mark mark-${alarm.severity}`}>{alarm.severity}</span>,
    value: (alarm) => alarm.severity,
    compare: (one, other) => RANK[one.severity] - RANK[other.severity],
  },
  { name: "Kind", cell: (alarm) => <span className="whole">{alarm.kind}</span>, value: (alarm) => alarm.kind },
  {
    name: "Of",
    cell: (alarm) => <span className="whole">{visible(alarm.subject)}</span>,
    value: (alarm) => alarm.subject,
  },
  { name: "What is wrong", cell: (alarm) => alarm.text, value: (alarm) => alarm.text, isWide: true },
  {
    name: "Raised",
    cell: (alarm) => (
      <>
        <Moment at={alarm.raised} />
        <span className="below muted">
          {alarm.cleared == null ? (
            <Moment at={alarm.raised} isAgo />
          ) : (
            <>
              over <Moment at={alarm.cleared} />
            </>
          )}
        </span>
      </>
    ),
    value: (alarm) => alarm.raised,
    isDescendingFirst: true,
  },
  {
    name: "Over",
    isSpare: true,
    cell: ({ cleared }) => cleared != null && <Moment at={cleared} />,
    value: (alarm) => alarm.cleared,
    isDescendingFirst: true,
  },
  {
    name: "Acknowledged",
    cell: ({ acknowledged }) =>
      acknowledged == null ? (
        <span className="muted">not acknowledged</span>
      ) : (
        <>
          {acknowledged.who}, <Moment at={acknowledged.at} isAgo />
          <span className="below muted">{acknowledged.remark}</span>
        </>
      ),
    value: ({ acknowledged }) => acknowledged?.at ?? null,
    isDescendingFirst: true,
  },
  {
    name: "Acknowledged by",
    isSpare: true,
    cell: ({ acknowledged }) => acknowledged?.who,
    value: ({ acknowledged }) => acknowledged?.who ?? null,
  },
  {
    name: "Remark",
    isSpare: true,
    cell: ({ acknowledged }) => acknowledged?.remark,
    value: ({ acknowledged }) => acknowledged?.remark ?? null,
  },
  {
    name: "Probable cause",
    isSpare: true,
    cell: (alarm) => alarm.probable_cause,
    value: (alarm) => alarm.probable_cause,
  },
];

/** Returns the address of the same list with, or without, alarms that are over. */
function addressOf(query: URLSearchParams, isAll: boolean): string {
  const words = new URLSearchParams(query);
  if (isAll) words.set("all", "true");
  else words.delete("all");
  const text = words.toString();
  return text === "" ? "/alarms" : `/alarms?${text}`;
}

function nothing(isAll: boolean, isPeriod: boolean): string {
  if (isPeriod) return isAll ? "No alarm was raised then" : "No alarm of then is raised still";
  return isAll ? "No alarm was ever raised" : "No alarm is raised";
}

export function AlarmsPage() {
  const changes = useLive((live) => live.changes);
  const mayChange = useMay("operator");
  const { query } = useAddress();
  const isAll = query.get("all") === "true";
  const period = usePeriod();
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  const [asked, setAsked] = useState<"acknowledge" | "take back" | null>(null);
  const pages = usePages(
    async (before) => {
      const found = await gateway.alarms(isAll, { ...period.bounds(Date.now()), before, limit: 100 });
      return { rows: found.alarms, more: found.more };
    },
    (alarm) => alarm.id,
    [isAll, period.key],
    [changes.alarms],
  );
  const rows = pages.rows === null ? null : worstFirst(pages.rows);
  const picked = rows?.filter((alarm) => chosen.has(alarm.id)) ?? [];
  return (
    <Page
      title="Alarms"
      lead="An alarm is raised once and clears by itself when it is over. Acknowledging says that somebody sees to it."
      actions={
        mayChange && (
          <Actions
            of={[
              {
                name: "Acknowledge…",
                look: "main",
                isDisabled: picked.length === 0,
                run: () => setAsked("acknowledge"),
              },
              {
                name: "Take back…",
                isDisabled: !picked.some((alarm) => alarm.acknowledged != null),
                run: () => setAsked("take back"),
              },
            ]}
          />
        )
      }
    >
      <div className="tabs" role="navigation" aria-label="Which alarms">
        <Link href={addressOf(query, false)} aria-current={isAll ? undefined : "page"}>
          Raised
        </Link>
        <Link href={addressOf(query, true)} aria-current={isAll ? "page" : undefined}>
          Also those that are over
        </Link>
      </div>
      <div className="filters">
        <PeriodFilter />
      </div>
      <List
        {...pages}
        label="Alarms"
        columns={COLUMNS}
        rows={rows}
        rowKey={(alarm) => alarm.id}
        rowClass={(alarm) => (alarm.cleared != null || alarm.acknowledged != null ? "row-quiet" : undefined)}
        choice={
          mayChange
            ? {
                chosen,
                change: setChosen,
                number: (alarm) => alarm.id,
                name: (alarm) => `alarm ${alarm.id}: ${alarm.text}`,
              }
            : undefined
        }
        empty={
          <Empty icon="check" title={nothing(isAll, period.isChosen)}>
            <p>
              What goes wrong later appears here at once. To be told of it elsewhere, give the flow a [notify] table.
            </p>
          </Empty>
        }
      />
      {asked !== null && (
        <AcknowledgeDialog
          title={`${asked === "acknowledge" ? "Acknowledge" : "Take back the acknowledgement of"} ${counted(picked.length, "alarm")}`}
          alarms={picked}
          isAcknowledged={asked === "acknowledge"}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            setChosen(new Set());
            pages.again();
          }}
        />
      )}
    </Page>
  );
}
