/** Unsaved edits of tariff versions. They stay when the user goes to another page. */
import { askedBeforeLeaving } from "../parts/unsaved";

/** A file that was changed. */
export interface Change {
  file: string;
  before: string;
  after: string;
}

/** The changes by file name. */
export type Changes = Record<string, Change>;

const copies = new Map<string, Changes>();

askedBeforeLeaving(() => copies.size > 0);

export const copyName = (plan: string, version: number) => `version ${version} of ${plan}`;

/**
 * The name of the edits of a database's first version. `plan` is empty for a database that the flow does not name yet.
 */
export const firstName = (plan: string) => `the first of ${plan}`;

export const copyOf = (name: string): Changes => copies.get(name) ?? {};

/** Returns the changes with this one added. A file that is back at its old text is removed. */
export function changedBy(changes: Changes, change: Change): Changes {
  const { [change.file]: _, ...others } = changes;
  return change.before === change.after ? others : { ...others, [change.file]: change };
}

export function keepCopy(name: string, changes: Changes): void {
  if (Object.keys(changes).length === 0) copies.delete(name);
  else copies.set(name, changes);
}

/** The name of a first version's database, and what the version is made from. */
export interface Beginning {
  name: string;
  from: string;
}

const beginnings = new Map<string, Beginning>();

export const beginningOf = (plan: string): Beginning | null => beginnings.get(plan) ?? null;

export function keepBeginning(plan: string, beginning: Beginning | null): void {
  if (beginning === null) beginnings.delete(plan);
  else beginnings.set(plan, beginning);
}
