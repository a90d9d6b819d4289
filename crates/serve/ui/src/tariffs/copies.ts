/** Versions of tariffs that are written and not loaded: still there when somebody comes back from another page. */
import { askedBeforeLeaving } from "../parts/unsaved";

/** A file that is not as it was. */
export interface Change {
  file: string;
  before: string;
  after: string;
}

/** By file. */
export type Changes = Record<string, Change>;

const copies = new Map<string, Changes>();

askedBeforeLeaving(() => copies.size > 0);

export const copyName = (plan: string, version: number) => `version ${version} of ${plan}`;

/** Of the first version of a database; an empty name is that of one which no flow names yet. */
export const firstName = (plan: string) => `the first of ${plan}`;

export const copyOf = (name: string): Changes => copies.get(name) ?? {};

/** What was written back as it was is no change. */
export function changedBy(changes: Changes, change: Change): Changes {
  const { [change.file]: _, ...others } = changes;
  return change.before === change.after ? others : { ...others, [change.file]: change };
}

export function keepCopy(name: string, changes: Changes): void {
  if (Object.keys(changes).length === 0) copies.delete(name);
  else copies.set(name, changes);
}

/** What a first version is called, and what it is made from. */
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
