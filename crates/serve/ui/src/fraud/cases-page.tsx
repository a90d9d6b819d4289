/** The queue of an analyst: cases, the open ones with the most points first, with what is done with them. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { FraudCaseState, FraudDecision } from "../api/types";
import { Actions } from "../parts/actions";
import { useEvery } from "../parts/every";
import { Failure } from "../parts/failure";
import { List } from "../parts/list";
import { useDeed, usePages } from "../parts/load";
import { say } from "../parts/notices";
import { count, counted } from "../parts/numbers";
import { Empty } from "../parts/page";
import { useRowKeys } from "../parts/row-keys";
import { useMay, useSession } from "../parts/session";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { AssignDialog, assignedInWords } from "./assign-dialog";
import { caseColumns } from "./case-columns";
import { CaseFilters, useCaseFilter } from "./case-filters";
import { DecideDialog } from "./decide-dialog";
import { FraudFrame, KeysMasked } from "./fraud-frame";

/** Open cases come by their points, and have no pages. More than these are not looked through in a day. */
const OPEN_MAX = 200;

/** The most cases that the gateway lists at once. */
const LIMIT_MAX = 1_000;

/** The interval of the refresh. */
const REFRESH_MS = 10_000;

const KEYS: Record<string, FraudDecision> = { f: "fraud", n: "not-fraud", u: "unsure" };

/** An open dialog, with the cases that were meant when it was opened: those that are shown may be others by then. */
type CasesDialog = { cases: number[]; words: string } & (
  { to: "assign" } | { to: "decide"; decision: FraudDecision | null }
);

export function CasesPage() {
  const mayChange = useMay("operator");
  const { name: me } = useSession().session;
  const filter = useCaseFilter();
  const { state, isFree } = filter;
  const isOpen = state === "open";
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  const [dialog, setDialog] = useState<CasesDialog | null>(null);
  const [{ isMasked, isCut }, setStand] = useState({ isMasked: false, isCut: false });
  const deed = useDeed();
  const pages = usePages(
    async (before) => {
      const limit = isFree ? LIMIT_MAX : isOpen ? OPEN_MAX : 50;
      const assigned = filter.assigned === "me" ? me : "";
      const found = await gateway.fraudCases({ state, rule: filter.rule, key: filter.key, assigned, before, limit });
      setStand({ isMasked: found.masked === true, isCut: isOpen && found.more });
      const rows = isFree ? found.cases.filter((each) => each.assigned == null) : found.cases;
      return { rows, more: found.more && !isOpen };
    },
    ({ id }) => id,
    [state, filter.rule, filter.key, filter.assigned, me],
  );
  // Another first page would drop the older rows. A search by a key is in the audit trail: it is not repeated by itself.
  useEvery(REFRESH_MS, { again: pages.again, isLoading: pages.isLoading || pages.hasOlder || filter.key !== "" });
  const rows = pages.rows ?? [];
  // Only open cases that are shown count: the selection can have cases of an earlier filter.
  const meant = rows.filter((each) => chosen.has(each.id) && each.decision == null).map(({ id }) => id);
  const known = rows.flatMap((each) => each.assigned ?? []);
  const done = (cases: readonly number[]) => {
    setDialog(null);
    setChosen(new Set([...chosen].filter((id) => !cases.includes(id))));
    pages.again();
  };
  const take = (cases: number[]) =>
    deed.run(async () => {
      say(assignedInWords((await gateway.assignFraud(cases, me)).changed, me));
      done(cases);
    });
  const toggle = (row: number) => {
    const next = new Set(chosen);
    if (!next.delete(row)) next.add(row);
    setChosen(next);
  };
  const keys = useRowKeys((key, row) => {
    const isUndecided = rows.some(({ id, decision }) => id === row && decision == null);
    if (!mayChange || !isUndecided) return false;
    // A key is about the chosen cases, if the row is one of them.
    const cases = meant.includes(row) ? meant : [row];
    const decision = KEYS[key];
    if (key === "x") toggle(row);
    else if (key === "a") void take(cases);
    else if (decision !== undefined) setDialog({ to: "decide", cases, words: inWords(cases), decision });
    else return false;
    return true;
  });
  return (
    <FraudFrame
      lead="Alerts about one key are a case once they have enough points. Decide what it is: that also counts for the rules."
      actions={
        mayChange &&
        state !== "decided" && (
          <Actions
            of={[
              { name: "Assign to me", isDisabled: meant.length === 0 || deed.isBusy, run: () => void take(meant) },
              {
                name: "Assign…",
                isDisabled: meant.length === 0,
                run: () => setDialog({ to: "assign", cases: meant, words: inWords(meant) }),
              },
              {
                name: meant.length === 0 ? "Decide…" : `Decide ${counted(meant.length, "case")}…`,
                look: "main",
                isDisabled: meant.length === 0,
                run: () => setDialog({ to: "decide", cases: meant, words: inWords(meant), decision: null }),
              },
            ]}
          />
        )
      }
    >
      <CaseFilters filter={filter} onState={() => setChosen(new Set())} />
      <KeysMasked isMasked={isMasked} />
      {isCut && (
        <p className="muted">
          {isFree
            ? `These are free among the ${count(LIMIT_MAX)} cases with the most points.`
            : `There are more. These ${count(OPEN_MAX)} have the most points.`}
        </p>
      )}
      {deed.problem !== null && <Failure problem={deed.problem} />}
      <div className="section" {...keys}>
        <List
          {...pages}
          label="Cases"
          columns={caseColumns(state)}
          rowKey={({ id }) => id}
          choice={
            mayChange && state !== "decided"
              ? {
                  chosen,
                  change: setChosen,
                  number: ({ id }) => id,
                  name: ({ id, key }) => `case ${id}: ${visible(key)}`,
                  may: ({ decision }) => decision == null,
                }
              : undefined
          }
          empty={<Nothing state={state} isFiltered={filter.isNarrowed} />}
        />
        {rows.length > 0 && <KeysHelp mayChange={mayChange && state !== "decided"} />}
      </div>
      {dialog?.to === "decide" && (
        <DecideDialog {...dialog} onClose={() => setDialog(null)} onDone={() => done(dialog.cases)} />
      )}
      {dialog?.to === "assign" && (
        <AssignDialog {...dialog} known={known} onClose={() => setDialog(null)} onDone={() => done(dialog.cases)} />
      )}
    </FraudFrame>
  );
}

const inWords = (cases: readonly number[]) => (cases.length === 1 ? `case ${cases[0]}` : counted(cases.length, "case"));

function KeysHelp({ mayChange }: { mayChange: boolean }) {
  return (
    <p className="keys-help muted">
      <kbd>j</kbd> and <kbd>k</kbd> move from case to case, <kbd>Enter</kbd> opens one
      {mayChange && (
        <>
          , <kbd>x</kbd> chooses it, <kbd>a</kbd> assigns it to you; <kbd>f</kbd> fraud, <kbd>n</kbd> not fraud,{" "}
          <kbd>u</kbd> unsure
        </>
      )}
      .
    </p>
  );
}

/** Says why the list is empty, and what to do. */
function Nothing({ state, isFiltered }: { state: FraudCaseState; isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty icon="fraud" title="No such case">
        <p>No case fits what you ask for. Rules and keys are compared as a whole.</p>
      </Empty>
    );
  if (state !== "open")
    return (
      <Empty icon="fraud" title={state === "decided" ? "No case is decided" : "There was no case yet"}>
        <p>Cases that were decided are listed here with their reasons, and can be opened again.</p>
      </Empty>
    );
  return (
    <Empty icon="check" title="No case is open">
      <p>
        Alerts of rules become a case once there are enough points about one key. Those that are not enough are among
        the alerts.
      </p>
      <Link className="button" href="/fraud/alerts">
        To the alerts
      </Link>
    </Empty>
  );
}
