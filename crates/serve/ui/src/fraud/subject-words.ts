/** What is stored of a subject, and what is erased, in words. */
import type { ForgottenFraudSubject, FraudSubject } from "../api/types";
import { count, counted } from "../parts/numbers";

/** Returns whether nothing is stored but who looked for the key. */
export const isNothing = ({ alerts, cases, actions, lists, other_keys, indexed }: FraudSubject): boolean =>
  indexed === 0 && [alerts, cases, actions, lists, other_keys].every((rows) => rows.length === 0);

/** What an erasure removes, and what it leaves. */
export const ERASED: readonly string[] = [
  "key, condition and records of its alerts",
  "key, reason and remarks of its cases",
  "key, reason and content of its actions, which cannot be undone any more",
  "its entries in indexes of records",
  "views and changed values in the audit trail that name the key",
];

export const STAYS: readonly string[] = [
  "which rules fired when, points, decisions and who decided: the figures of rules do not change",
  "entries of lists, and what rules count until their windows are over",
  "reasons and remarks that users wrote into the audit trail",
  "records in files and in the archive, and what actions have sent",
];

/** Says what was erased. */
export function erasedInWords(of: ForgottenFraudSubject): string {
  const parts: [number, string][] = [
    [of.alerts, "alert"],
    [of.records, "record"],
    [of.cases, "case"],
    [of.steps, "step"],
    [of.actions, "action"],
    [of.list_hits, "hit count"],
    [of.indexed, "indexed record"],
  ];
  const ofTrail = of.trail === 1 ? "1 entry" : `${count(of.trail)} entries`;
  const said = parts.filter(([many]) => many > 0).map(([many, what]) => counted(many, what));
  if (of.trail > 0) said.push(`${ofTrail} of the audit trail`);
  return said.length === 0 ? "nothing" : said.join(", ");
}
