/** How far actions are, in words, and what a user may do with them. */
import type { ActionState, RequestedAction } from "../api/types";
import { counted } from "../parts/numbers";

/** What an action waits for: people, the gateway and the other side, or nothing. */
export type Stage = "people" | "sending" | "finished";

interface StateWords {
  word: string;
  stage: Stage;
  /** The look of its mark. */
  mark: string;
  /** What the word does not say. */
  means?: string;
}

const STATES: Record<ActionState, StateWords> = {
  new: { word: "requested", stage: "sending", mark: "quiet" },
  waiting: { word: "waits", stage: "people", mark: "minor" },
  held: { word: "held", stage: "people", mark: "minor" },
  due: { word: "to be sent", stage: "sending", mark: "quiet" },
  sending: { word: "being sent", stage: "sending", mark: "warning" },
  done: { word: "done", stage: "finished", mark: "fine" },
  refused: { word: "refused", stage: "finished", mark: "quiet" },
  repeated: {
    word: "repeated",
    stage: "finished",
    mark: "quiet",
    means: "Not done: it was requested about this key a short time before.",
  },
  undo: { word: "to be undone", stage: "sending", mark: "quiet" },
  undoing: { word: "being undone", stage: "sending", mark: "warning" },
  undone: { word: "undone", stage: "finished", mark: "quiet" },
};

/** Returns the words of a state. One that this page does not know, of a newer gateway, stays as it is. */
export const stateInWords = (state: string): StateWords =>
  (STATES as Record<string, StateWords>)[state] ?? { word: state, stage: "finished", mark: "quiet" };

export const stageOf = ({ state }: Pick<RequestedAction, "state">): Stage => stateInWords(state).stage;

/** Returns why an action waits for people, or null if it does not. */
export function waitsFor({
  state,
  rule_waits,
  approved_by,
  problem,
}: Pick<RequestedAction, "state" | "rule_waits" | "approved_by" | "problem">): string | null {
  if (state === "held") return problem ?? "there were too many actions";
  if (state !== "waiting") return null;
  if (rule_waits === true) return "the version of its rule is not approved";
  return approved_by.length === 0 ? "needs approval" : "needs a second approval";
}

export type ActionDeed = "approve" | "refuse" | "undo";

interface DeedWords {
  word: string;
  busyWord: string;
  /** What was done, after the number of actions. */
  past: string;
}

export const DEEDS: Record<ActionDeed, DeedWords> = {
  approve: { word: "Approve", busyWord: "Approving…", past: "approved" },
  refuse: { word: "Refuse", busyWord: "Refusing…", past: "refused" },
  undo: { word: "Undo", busyWord: "Undoing…", past: "to be undone" },
};

/** The states in which an action is not carried out yet, as far as is known. */
const REFUSABLE: readonly string[] = ["new", "waiting", "held", "due", "sending"] satisfies ActionState[];

/** Returns whether a user may do something with an action. The second approval is that of another user. */
export function mayDo(deed: ActionDeed, { state, approved_by }: RequestedAction, me: string): boolean {
  if (deed === "undo") return state === "done";
  if (deed === "refuse") return REFUSABLE.includes(state);
  return (state === "waiting" || state === "held") && approved_by.length < 2 && !approved_by.includes(me);
}

/**
 * Returns whether an action changes within seconds. A new one is looked at even while actions are stopped; one that
 * failed more than once is tried again less and less often.
 */
export const isMoving = ({ state, tries }: Pick<RequestedAction, "state" | "tries">, isStopped: boolean): boolean =>
  state === "new" || (!isStopped && stateInWords(state).stage === "sending" && tries <= 1);

/** Says how many actions were changed. One that is no longer as it was shown stays as it is. */
export function changedInWords(deed: ActionDeed, chosen: number, changed: number): string {
  const stays = chosen - changed;
  const done = changed === 0 ? "" : `${counted(changed, "action")} ${DEEDS[deed].past}.`;
  const rest = stays === 0 ? "" : `${counted(stays, "action")} had changed meanwhile.`;
  return [done, rest].filter((each) => each !== "").join(" ");
}

/** Returns the names of actions that rules request. The flow may have others. */
export const namesOf = (rules: readonly { running: { actions: readonly string[] } | null }[]): string[] =>
  [...new Set(rules.flatMap(({ running }) => running?.actions ?? []))].sort();
