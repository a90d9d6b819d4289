/** A case: why it is one, its alerts with their records, what was done, and the other cases about its key. */
import "../styles/fraud.css";

import { type ReactNode, useState } from "react";

import { gateway } from "../api/gateway";
import type { ActionStop, FraudCaseStep, WholeFraudCase } from "../api/types";
import { type Action, Actions, useOffer } from "../parts/actions";
import { useEvery } from "../parts/every";
import { Failure } from "../parts/failure";
import { Sublist } from "../parts/list";
import { useDeed, useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { count, counted } from "../parts/numbers";
import { Await, Page } from "../parts/page";
import { useMay, useSession } from "../parts/session";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { isMoving } from "./action-words";
import { AddEntryDialog } from "./add-entry-dialog";
import { caseAddress, subjectAddress } from "./address";
import { CASE_ALERT_COLUMNS } from "./alert-columns";
import { AssignDialog, assignedInWords } from "./assign-dialog";
import { CaseActions } from "./case-actions";
import { DecisionMark, OTHER_CASE_COLUMNS } from "./case-columns";
import { DecideDialog } from "./decide-dialog";
import { KeysMasked } from "./fraud-frame";
import { RemarkDialog } from "./remark-dialog";
import { ReopenDialog } from "./reopen-dialog";
import { RequestActionDialog } from "./request-action-dialog";
import { SeverityMark } from "./severity";
import { TimeLineView } from "./time-line-view";
import { UnmaskDialog } from "./unmask-dialog";
import { nextOf, reasonOf, stepInWords } from "./words";

/** The interval of the refresh while an action about the key is about to change. */
const REFRESH_MOVING_MS = 2_000;

/** As many of the open cases as one may have to pass over that others work on. */
const NEXT_MAX = 50;

export function CasePage({ id }: { id: string }) {
  const number = Number(id);
  const { name: me } = useSession().session;
  const loaded = useLoad(() => gateway.fraudCase(number), [number]);
  const queue = useLoad(() => gateway.fraudCases({ state: "open", limit: NEXT_MAX }), [number]);
  const stopped = useLoad(async () => (await gateway.actions({ open: true, limit: 1 })).stopped ?? null, [number]);
  const isQuiet = loaded.value?.actions.some((each) => isMoving(each, stopped.value !== null)) !== true;
  useEvery(REFRESH_MOVING_MS, { again: loaded.again, isLoading: loaded.isLoading || isQuiet });
  const [unmasked, setUnmasked] = useState<WholeFraudCase | null>(null);
  const next = nextOf(queue.value?.cases ?? [], number, me);
  const again = () => {
    setUnmasked(null);
    loaded.again();
    queue.again();
    stopped.again();
  };
  const links = (
    <p className="actions">
      <Link href="/fraud">All cases</Link>
      {next !== undefined && <Link href={caseAddress(next.id)}>Next open case</Link>}
    </p>
  );
  if (loaded.value === null && loaded.problem !== null)
    return (
      <Page title={`Case ${id}`}>
        {links}
        <Failure problem={loaded.problem} again={loaded.again} />
      </Page>
    );
  return (
    <Await loaded={loaded}>
      {(found) => (
        <Case
          key={found.id}
          of={unmasked?.id === found.id ? unmasked : found}
          isHidden={found.masked === true}
          stopped={stopped.value}
          again={again}
          onUnmasked={setUnmasked}
        >
          {links}
        </Case>
      )}
    </Await>
  );
}

type CaseDialog = "decide" | "assign" | "reopen" | "remark" | "request" | "list" | "unmask";

interface CaseProps {
  of: WholeFraudCase;
  /** Whether the user does not see subscriber data, and at most this case unmasked. */
  isHidden: boolean;
  /** That all actions are stopped. */
  stopped: ActionStop | null;
  again: () => void;
  /** Called with the case unmasked, or with null to mask it again. */
  onUnmasked: (unmasked: WholeFraudCase | null) => void;
  children: ReactNode;
}

function Case({ of, isHidden, stopped, again, onUnmasked, children }: CaseProps) {
  const { id, key, found, steps, others, masked } = of;
  const mayChange = useMay("operator");
  const { name: me } = useSession().session;
  const [dialog, setDialog] = useState<CaseDialog | null>(null);
  const deed = useDeed();
  useOffer([{ name: "Look again", run: again }]);
  const close = () => setDialog(null);
  const done = () => {
    close();
    again();
  };
  const take = () =>
    deed.run(async () => {
      say(assignedInWords((await gateway.assignFraud([id], me)).changed, me));
      again();
    });
  const remark: Action = { name: "Remark…", run: () => setDialog("remark") };
  const request: Action = { name: "Request an action…", run: () => setDialog("request") };
  const isPrefix = key.endsWith("*");
  const list: Action = {
    name: "Add to a list…",
    isDisabled: isHidden || isPrefix,
    title: isPrefix ? "A key that ends with * would be for all keys that begin so" : undefined,
    run: () => setDialog("list"),
  };
  const ofOpen: Action[] = [
    { name: "Assign to me", isDisabled: of.assigned === me || deed.isBusy, run: () => void take() },
    { name: "Assign…", run: () => setDialog("assign") },
    remark,
    request,
    list,
    { name: "Decide…", look: "main", run: () => setDialog("decide") },
  ];
  const unmask: Action[] = of.unmaskable ? [{ name: "Show the number…", run: () => setDialog("unmask") }] : [];
  const isOther = others.some(
    ({ decision, node, subject }) => decision == null && node === of.node && subject === of.subject,
  );
  const ofDecided: Action[] = [
    remark,
    request,
    list,
    {
      name: "Open again…",
      isDisabled: isOther,
      title: isOther ? "There is an open case of this key" : undefined,
      run: () => setDialog("reopen"),
    },
  ];
  return (
    <Page
      title={`Case ${id}`}
      lead={
        <>
          {visible(of.subject)}{" "}
          {isHidden ? (
            <span className="fixed break">{visible(key)}</span>
          ) : (
            <Link className="fixed break" href={subjectAddress(key)} title="All about this key">
              {visible(key)}
            </Link>
          )}
        </>
      }
      actions={<Actions of={[...unmask, ...(!mayChange ? [] : of.decision == null ? ofOpen : ofDecided)]} />}
    >
      {children}
      <KeysMasked isMasked={masked === true} />
      {isHidden && masked !== true && (
        <p className="remark" role="status">
          <span>
            You see this case unmasked. Your reason is in the audit trail.{" "}
            <button type="button" className="as-link" onClick={() => onUnmasked(null)}>
              Mask it
            </button>
          </span>
        </p>
      )}
      {deed.problem !== null && <Failure problem={deed.problem} />}
      <Facts of={of} />
      <section className="section">
        <h2>{counted(of.alerts, "alert")}</h2>
        {found.length < of.alerts && (
          <p className="muted">
            {found.length === 0
              ? "The journal no longer has them."
              : `The last ${count(found.length)} are shown, with the points of these.`}
          </p>
        )}
        {found.length > 1 && <TimeLineView alerts={found} />}
        {found.length > 0 && (
          <Sublist label="Alerts" columns={CASE_ALERT_COLUMNS} rows={found} rowKey={(alert) => alert.id} />
        )}
      </section>
      <CaseActions of={of} stopped={stopped} again={again} />
      <section className="section">
        <h2>What was done</h2>
        {steps.length === 0 ? (
          <p className="muted">Nothing yet.</p>
        ) : (
          <Table label="What was done" columns={STEP_COLUMNS} rows={steps} rowKey={(step) => steps.indexOf(step)} />
        )}
      </section>
      <section className="section">
        <h2>Other cases of this key</h2>
        {others.length === 0 ? (
          <p className="muted">There are none.</p>
        ) : (
          <Sublist label="Other cases" columns={OTHER_CASE_COLUMNS} rows={others} rowKey={(other) => other.id} />
        )}
      </section>
      {dialog === "unmask" && (
        <UnmaskDialog
          id={id}
          onClose={close}
          onDone={(unmasked) => {
            close();
            onUnmasked(unmasked);
          }}
        />
      )}
      {dialog === "list" && <AddEntryDialog list={null} fixedKey={key} onClose={close} onDone={done} />}
      {dialog === "decide" && (
        <DecideDialog cases={[id]} words={`case ${id}`} decision={null} onClose={close} onDone={done} />
      )}
      {dialog === "assign" && (
        <AssignDialog
          cases={[id]}
          words={`case ${id}`}
          known={steps.map(({ who }) => who)}
          onClose={close}
          onDone={done}
        />
      )}
      {dialog === "reopen" && <ReopenDialog id={id} onClose={close} onDone={done} />}
      {dialog === "remark" && <RemarkDialog id={id} onClose={close} onDone={done} />}
      {dialog === "request" && <RequestActionDialog id={id} onClose={close} onDone={done} />}
    </Page>
  );
}

function Facts({ of }: { of: WholeFraudCase }) {
  const rules = of.rules.map((rule) => visible(rule)).join(", ");
  return (
    <dl className="facts">
      <dt>State</dt>
      <dd>
        <DecisionMark of={of.decision} />
        {of.decided != null && (
          <>
            {" "}
            by {visible(of.decided_by ?? "")}, <Moment at={of.decided} />: {visible(of.reason ?? "")}
          </>
        )}
      </dd>
      <dt>Points</dt>
      <dd>
        <strong>{count(of.score)}</strong> <SeverityMark of={of.severity} />
      </dd>
      <dt>Assigned</dt>
      <dd>{of.assigned == null ? <span className="muted">no one</span> : visible(of.assigned)}</dd>
      <dt>Rules</dt>
      <dd>{of.fraud_types.length === 0 ? rules : `${rules} (${visible(of.fraud_types.join(", "))})`}</dd>
      <dt>Alerts</dt>
      <dd>
        <Moment at={of.first} />
        {of.last !== of.first && (
          <>
            {" "}
            to <Moment at={of.last} />
          </>
        )}
      </dd>
      <dt>Opened</dt>
      <dd>
        <Moment at={of.opened} /> by node {of.node}
      </dd>
    </dl>
  );
}

const STEP_COLUMNS: Column<FraudCaseStep>[] = [
  { name: "When", cell: (step) => <Moment at={step.at} /> },
  { name: "Who", cell: (step) => visible(step.who) },
  { name: "What", cell: (step) => visible(stepInWords(step)) },
  { name: "Why", isWide: true, cell: (step) => visible(reasonOf(step)) },
];
