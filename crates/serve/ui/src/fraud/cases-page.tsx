/** The queue of an analyst: cases, the open ones with the most points first, with what is done with them. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { FraudCaseState, FraudDecision } from "../api/types";
import { Actions } from "../parts/actions";
import { useEvery } from "../parts/every";
import { Failure } from "../parts/failure";
import { SelectField, TextField } from "../parts/field";
import { List } from "../parts/list";
import { useDeed, usePages } from "../parts/load";
import { say } from "../parts/notices";
import { count, counted } from "../parts/numbers";
import { Empty } from "../parts/page";
import { useRowKeys } from "../parts/row-keys";
import { useMay, useSession } from "../parts/session";
import { visible } from "../parts/visible";
import { Link, changeWords, useWord } from "../router/router";
import { AssignDialog, assignedInWords } from "./assign-dialog";
import { caseColumns } from "./case-columns";
import { DecideDialog } from "./decide-dialog";
import { FraudFrame, KeysMasked } from "./fraud-frame";

const STATES: readonly [FraudCaseState, string][] = [
  ["open", "open"],
  ["decided", "decided"],
  ["all", "all"],
];

/** Open cases come by their points, and have no pages. More than these are not looked through in a day. */
const OPEN_MAX = 200;

/** The most cases that the gateway lists at once. */
const LIMIT_MAX = 1_000;

/** The interval of the refresh. */
const REFRESH_MS = 10_000;

const KEYS: Record<string, FraudDecision> = { f: "fraud", n: "not-fraud", u: "unsure" };

/** What is put to the user, for the cases that were meant when it was. */
type Asked = { cases: number[]; words: string } & ({ to: "assign" } | { to: "decide"; decision: FraudDecision | null });

export function CasesPage() {
  const mayChange = useMay("operator");
  const { name: me } = useSession().session;
  const [stateWord] = useWord("state");
  const state = STATES.find(([name]) => name === stateWord)?.[0] ?? "open";
  const [rule, setRule] = useWord("rule");
  const [key, setKey] = useWord("key");
  const [assigned, setAssigned] = useWord("assigned");
  const isFree = assigned === "no-one" && state === "open";
  const [chosen, setChosen] = useState<Set<number>>(new Set());
  const [asked, setAsked] = useState<Asked | null>(null);
  const [{ isMasked, isCut }, setStand] = useState({ isMasked: false, isCut: false });
  const deed = useDeed();
  const pages = usePages(
    async (before) => {
      const isOpen = state === "open";
      const found = await gateway.fraudCases({
        state,
        rule,
        key,
        assigned: assigned === "me" ? me : "",
        before,
        limit: isFree ? LIMIT_MAX : isOpen ? OPEN_MAX : 50,
      });
      setStand({ isMasked: found.masked === true, isCut: isOpen && found.more });
      const rows = isFree ? found.cases.filter((each) => each.assigned == null) : found.cases;
      return { rows, more: found.more && !isOpen };
    },
    ({ id }) => id,
    [state, rule, key, assigned, me],
  );
  // Another first page would drop the older rows. A search by a key is in the audit trail: it is not repeated by itself.
  useEvery(REFRESH_MS, { again: pages.again, isLoading: pages.isLoading || pages.hasOlder || key !== "" });
  const rows = pages.rows ?? [];
  // Only open cases that are shown count: the selection can have cases of an earlier filter.
  const meant = rows.filter((each) => chosen.has(each.id) && each.decision == null).map(({ id }) => id);
  const known = rows.flatMap((each) => each.assigned ?? []);
  const done = () => {
    setAsked(null);
    setChosen(new Set());
    pages.again();
  };
  const take = (cases: number[]) =>
    deed.run(async () => {
      say(assignedInWords((await gateway.assignFraud(cases, me)).changed, me));
      done();
    });
  const toggle = (row: number) => {
    const next = new Set(chosen);
    if (!next.delete(row)) next.add(row);
    setChosen(next);
  };
  const keys = useRowKeys((key, row) => {
    const isOpen = rows.some(({ id, decision }) => id === row && decision == null);
    if (!mayChange || !isOpen) return false;
    // A key is about the chosen cases, if the row is one of them.
    const cases = meant.includes(row) ? meant : [row];
    const decision = KEYS[key];
    if (key === "x") toggle(row);
    else if (key === "a") void take(cases);
    else if (decision !== undefined) setAsked({ to: "decide", cases, words: inWords(cases), decision });
    else return false;
    return true;
  });
  const isFiltered = rule !== "" || key !== "" || assigned !== "";
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
                run: () => setAsked({ to: "assign", cases: meant, words: inWords(meant) }),
              },
              {
                name: meant.length === 0 ? "Decide…" : `Decide ${counted(meant.length, "case")}…`,
                look: "main",
                isDisabled: meant.length === 0,
                run: () => setAsked({ to: "decide", cases: meant, words: inWords(meant), decision: null }),
              },
            ]}
          />
        )
      }
    >
      <div className="filters">
        <SelectField
          label="State"
          value={state}
          onValue={(value) => {
            setChosen(new Set());
            // The order and the columns of one list are not those of the other.
            const words = { state: value === "open" ? "" : value, sort: "", columns: "" };
            changeWords(assigned === "no-one" ? { ...words, assigned: "" } : words);
          }}
        >
          {STATES.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </SelectField>
        <SelectField label="Assigned" value={assigned} onValue={setAssigned}>
          <option value="">to anyone</option>
          <option value="me">to me</option>
          {state === "open" && <option value="no-one">to no one</option>}
        </SelectField>
        <TextField label="Rule" type="search" value={rule} onValue={setRule} />
        <TextField label="Key" type="search" value={key} onValue={setKey} placeholder="the whole key" />
        {isFiltered && (
          <Link className="button" href={state === "open" ? "/fraud" : `/fraud?state=${state}`}>
            Show all
          </Link>
        )}
      </div>
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
          empty={<Nothing state={state} isFiltered={isFiltered} />}
        />
        {rows.length > 0 && <KeysHelp mayChange={mayChange && state !== "decided"} />}
      </div>
      {asked?.to === "decide" && <DecideDialog {...asked} onClose={() => setAsked(null)} onDone={done} />}
      {asked?.to === "assign" && <AssignDialog {...asked} known={known} onClose={() => setAsked(null)} onDone={done} />}
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
