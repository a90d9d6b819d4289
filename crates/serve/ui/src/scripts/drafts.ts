/** Scripts and tables that were changed and not saved: they are still there when somebody comes back from another page. */
import { askedBeforeLeaving } from "../parts/unsaved";

export interface Draft {
  text: string;
  /** Of the script it was made from. */
  basedOn: string;
}

const drafts = new Map<string, Draft>();

askedBeforeLeaving(() => drafts.size > 0);

export const draftOf = (file: string) => drafts.get(file) ?? null;

export function keepDraft(file: string, draft: Draft | null): void {
  if (draft === null) drafts.delete(file);
  else drafts.set(file, draft);
}

/** Names of all that have one. */
export const draftNames = () => [...drafts.keys()];
