/** What waits, row by row, with what the user may do about it. */
import type { ReactNode } from "react";

import { worstFirst } from "../alarms/alarms-page";
import type { RequestedAction } from "../api/types";
import { Icon } from "../parts/icons";
import { counted } from "../parts/numbers";
import { useMay, useSession } from "../parts/session";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { type ActionDeed, DEEDS, mayDo, waitsFor } from "./action-words";
import { caseAddress } from "./address";
import { SeverityMark } from "./severity";
import { type Shift, type WaitingRule, hasNoRows, quietInWords, waits } from "./shift";

interface RowsProps {
  of: Shift;
  onAction: (deed: ActionDeed, action: RequestedAction) => void;
  onRule: (rule: WaitingRule) => void;
}

/** The rows of a part. The others are where its figure leads. */
const ROWS_MAX = 6;

const ACTION_DEEDS: readonly ActionDeed[] = ["approve", "refuse"];

export function ShiftRows({ of, onAction, onRule }: RowsProps) {
  const { critical, waiting, failing, rules, proposed, alarms } = of;
  const mayChange = useMay("operator");
  const { name: me } = useSession().session;
  const now = Date.now();
  if (hasNoRows(of))
    return (
      <p className={of.free === 0 ? "shift-quiet shift-fine" : "shift-quiet"}>
        {of.free === 0 && <Icon name="check" size={28} />}
        {quietInWords(of)}
      </p>
    );
  return (
    <div className="shift-rows">
      <Part title="Critical cases" rows={critical}>
        {({ id, key, rules, assigned, opened }) => (
          <Row
            key={id}
            since={waits(opened, now)}
            what={
              <Link className="fixed break" href={caseAddress(id)}>
                {visible(key)}
              </Link>
            }
            why={`${visible(rules.join(", "))}; ${assigned == null ? "no one works on it" : visible(assigned)}`}
          />
        )}
      </Part>
      <Part title="Actions that wait" rows={waiting}>
        {(action) => (
          <Row
            key={action.id}
            since={waits(action.requested, now)}
            what={
              <>
                <Link href="/fraud/actions">{visible(action.action)}</Link>{" "}
                <span className="fixed break">{visible(action.key)}</span>
              </>
            }
            why={waitsFor(action)}
          >
            {mayChange &&
              ACTION_DEEDS.filter((deed) => mayDo(deed, action, me)).map((deed) => (
                <button
                  key={deed}
                  type="button"
                  className={`button ${deed === "approve" ? "button-main" : ""}`}
                  aria-label={`${DEEDS[deed].word} action ${action.id}…`}
                  onClick={() => onAction(deed, action)}
                >
                  {DEEDS[deed].word}…
                </button>
              ))}
          </Row>
        )}
      </Part>
      <Part title="Actions that fail" rows={failing}>
        {({ id, action, key, problem, tries, requested }) => (
          <Row
            key={id}
            since={waits(requested, now)}
            what={
              <>
                <Link href="/fraud/actions">{visible(action)}</Link> <span className="fixed break">{visible(key)}</span>
              </>
            }
            why={`${counted(tries, "attempt")}: ${visible(problem ?? "")}`}
          />
        )}
      </Part>
      <Part title="Versions of rules to approve" rows={rules}>
        {(rule) => (
          <Row
            key={`${rule.node} ${rule.rule}`}
            since=""
            what={<Link href="/fraud/rules">{visible(rule.rule)}</Link>}
            why={`requests ${visible(rule.running.actions.join(", "))}`}
          >
            {mayChange && rule.running.approvals.every(({ who }) => who !== me) && (
              <button
                type="button"
                className="button button-main"
                aria-label={`Approve version… of ${visible(rule.rule)}`}
                onClick={() => onRule(rule)}
              >
                Approve version…
              </button>
            )}
          </Row>
        )}
      </Part>
      <Part title="Proposed versions of the flow" rows={proposed}>
        {({ version, proposal }) => (
          <Row
            key={version}
            since={proposal == null ? "" : waits(proposal.at, now)}
            what={<Link href="/graph">version {version}</Link>}
            why={proposal == null ? "" : `${visible(proposal.who)}: ${visible(proposal.because)}`}
          />
        )}
      </Part>
      <Part title="Alarms" rows={worstFirst(alarms)}>
        {({ id, severity, subject, text, raised }) => (
          <Row
            key={id}
            since={waits(raised, now)}
            what={
              <>
                <SeverityMark of={severity} /> <Link href="/alarms">{visible(subject)}</Link>
              </>
            }
            why={visible(text)}
          />
        )}
      </Part>
    </div>
  );
}

function Part<T>({ title, rows, children }: { title: string; rows: readonly T[]; children: (row: T) => ReactNode }) {
  if (rows.length === 0) return null;
  const rest = rows.length - ROWS_MAX;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>{rows.slice(0, ROWS_MAX).map(children)}</ul>
      {rest > 0 && <p className="muted">and {rest} more</p>}
    </section>
  );
}

interface RowProps {
  /** How long it waits. */
  since: string;
  what: ReactNode;
  why: ReactNode;
  /** Buttons. */
  children?: ReactNode;
}

const Row = ({ since, what, why, children }: RowProps) => (
  <li className="shift-row">
    <span className="shift-since">{since}</span>
    <div className="shift-what">
      {what}
      <span className="below muted break">{why}</span>
    </div>
    {children !== undefined && <div className="row-buttons">{children}</div>}
  </li>
);
