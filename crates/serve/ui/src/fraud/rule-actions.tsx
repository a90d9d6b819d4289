/** What a rule does, and who has approved the version of it that runs. */
import type { RunningRule } from "../api/types";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";

type Approval = Pick<RunningRule, "approvals" | "approvals_needed">;

/** Returns whether people must still approve the version of a rule before it acts. */
export const needsApproval = ({ approvals, approvals_needed }: Approval): boolean =>
  approvals.length < approvals_needed;

/** Returns how far the approval of a version is. Null if it needs none. */
export function approvalInWords({ approvals, approvals_needed }: Approval): string | null {
  if (approvals_needed === 0) return null;
  if (approvals.length >= approvals_needed) return "approved";
  return approvals_needed === 1 ? "needs approval" : `${approvals.length} of ${approvals_needed} approvals`;
}

/** Returns whether a day is over. `until` of a rule is for people: a text that is no day is never over. */
export const isOverdue = (until: string, now: Date): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(until) && until < now.toISOString().slice(0, 10);

interface RuleActionsProps {
  rule: string;
  of: RunningRule;
  me: string;
  /** Null if the user may not approve rules. */
  onApprove: (() => void) | null;
}

export function RuleActions({ rule, of, me, onApprove }: RuleActionsProps) {
  const words = approvalInWords(of);
  const isOpen = needsApproval(of);
  const isMine = of.approvals.some(({ who }) => who === me);
  return (
    <>
      {of.actions.map((name) => visible(name)).join(", ")}
      {words !== null && (
        <span className="below">
          <span className={`mark mark-${isOpen ? "minor" : "fine"}`}>{words}</span>
        </span>
      )}
      {of.approvals.map(({ who, at, because }) => (
        <span key={who} className="below muted">
          {visible(who)}, <Moment at={at} isAgo />: {visible(because)}
        </span>
      ))}
      {isOpen && onApprove !== null && isMine && <span className="below">Another person must approve it, too.</span>}
      {isOpen && onApprove !== null && !isMine && (
        <button
          type="button"
          className="button approve-version"
          aria-label={`Approve version… of ${visible(rule)}`}
          onClick={onApprove}
        >
          Approve version…
        </button>
      )}
    </>
  );
}
