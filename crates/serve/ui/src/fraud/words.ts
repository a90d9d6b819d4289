/** Texts about cases of fraud. */
import type { FraudCase, FraudCaseStep, FraudDecision } from "../api/types";

export interface DecisionWords {
  decision: FraudDecision;
  word: string;
  means: string;
  /** The look of its mark. */
  mark: string;
}

export const DECISIONS: readonly DecisionWords[] = [
  { decision: "fraud", word: "Fraud", means: "The rules were right.", mark: "critical" },
  { decision: "not-fraud", word: "Not fraud", means: "The rules were wrong.", mark: "fine" },
  { decision: "unsure", word: "Unsure", means: "It cannot be known. It counts for no rule.", mark: "quiet" },
];

/** Returns a decision in words. One that this page does not know, of a newer gateway, stays as it is. */
export const decisionInWords = (decision: string): string =>
  DECISIONS.find((each) => each.decision === decision)?.word.toLowerCase() ?? decision;

/** Returns what was done with a case, in words. */
export function stepInWords({ step, remark }: Pick<FraudCaseStep, "step" | "remark">): string {
  if (step === "assigned") return remark === "" ? "assigned to no one" : `assigned to ${remark}`;
  if (step === "reopened") return "opened again";
  if (step === "action") return `action requested: ${nameAndReason(remark).name}`;
  const isDecision = DECISIONS.some((each) => each.decision === step);
  return isDecision ? `decided: ${decisionInWords(step)}` : step;
}

/** Returns why a step was done, or the remark. The name of a user or of an action is no reason. */
export function reasonOf({ step, remark }: Pick<FraudCaseStep, "step" | "remark">): string {
  if (step === "assigned") return "";
  return step === "action" ? nameAndReason(remark).reason : remark;
}

/** The remark of a requested action is its name and the reason, as in `bar: it goes on`. */
function nameAndReason(remark: string): { name: string; reason: string } {
  const end = remark.indexOf(": ");
  return end === -1 ? { name: remark, reason: "" } : { name: remark.slice(0, end), reason: remark.slice(end + 2) };
}

/** Returns the open case to look at next: the first that is free, or the user's own. */
export const nextOf = (open: readonly FraudCase[], current: number, user: string): FraudCase | undefined =>
  open.find(({ id, assigned }) => id !== current && (assigned == null || assigned === user));
