/** Unsaved changes of scripts, tables and rules. They stay when the user goes to another page. */
import { askedBeforeLeaving } from "../parts/unsaved";

export interface Draft {
  text: string;
  /** The digest of the script that the draft is made from. */
  basedOn: string;
}

const drafts = new Map<string, Draft>();

askedBeforeLeaving(() => drafts.size > 0);

export const draftOf = (file: string) => drafts.get(file) ?? null;

export function keepDraft(file: string, draft: Draft | null): void {
  if (draft === null) drafts.delete(file);
  else drafts.set(file, draft);
}

/** Returns the names of all files with a draft. */
export const draftNames = () => [...drafts.keys()];
