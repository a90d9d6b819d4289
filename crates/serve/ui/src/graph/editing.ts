/** A flow file that is being edited. It keeps the texts of all steps, so that each change can be undone. */
import { useSyncExternalStore } from "react";

import { gateway } from "../api/gateway";
import type { Edit, Edited, Flow } from "../api/types";
import { askedBeforeLeaving } from "../parts/unsaved";

/** The most steps that can be undone. */
const STEPS_MAX = 200;

export interface Step extends Edited {
  /** What the step did, for the label of the undo button. */
  what: string;
}

export interface Editing {
  /** The flow file at the start, or when it was last compared. */
  base: { text: string; digest: string };
  steps: Step[];
  at: number;
  /** The version that was saved last, with its text and remark. */
  saved: { version: number; text: string; remark: string } | null;
}

export const begin = (flow: Flow): Editing => ({
  base: { text: flow.text, digest: flow.digest },
  steps: [
    {
      text: flow.text,
      graph: flow.graph,
      diagnostics: flow.diagnostics,
      diagnostics_left_out: flow.diagnostics_left_out,
      what: "begun",
    },
  ],
  at: 0,
  saved: null,
});

/** Adds a step. Steps that were undone before are lost. */
export function push(editing: Editing, step: Step): Editing {
  if (step.text === current(editing).text) return editing;
  const steps = [...editing.steps.slice(0, editing.at + 1), step].slice(-STEPS_MAX);
  return { ...editing, steps, at: steps.length - 1 };
}

export const undo = (editing: Editing): Editing => ({ ...editing, at: Math.max(0, editing.at - 1) });

export const redo = (editing: Editing): Editing => ({
  ...editing,
  at: Math.min(editing.steps.length - 1, editing.at + 1),
});

export const current = (editing: Editing): Step => editing.steps[editing.at]!;

export const isChanged = (editing: Editing) => current(editing).text !== editing.base.text;

/** Returns whether there is a change that is neither in the flow file nor in a version. */
export const isUnsaved = (editing: Editing) => isChanged(editing) && current(editing).text !== editing.saved?.text;

/** Describes an edit in words. */
export function inWords(edit: Edit): string {
  switch (edit.do) {
    case "add":
      return `adding ${edit.name}`;
    case "remove":
      return `removing ${edit.name}`;
    case "rename":
      return `renaming ${edit.name}`;
    case "connect":
      return `connecting ${edit.from} to ${edit.to}`;
    case "disconnect":
      return `disconnecting ${edit.from} from ${edit.to}`;
    case "set":
    case "unset":
      return `${edit.key} of ${edit.name}`;
  }
}

// The edits outlive the page: after a look at another page, they are still there.
let editing: Editing | null = null;
const listeners = new Set<() => void>();

askedBeforeLeaving(() => editing !== null && isUnsaved(editing));

export function keep(next: Editing | null): void {
  editing = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useEditing = () => useSyncExternalStore(subscribe, () => editing);

export const change = (how: (editing: Editing) => Editing) => {
  if (editing !== null) keep(how(editing));
};

/** The queue of edits. Each edit applies to the text that the one before made. */
let queue: Promise<unknown> = Promise.resolve();

export function edit(edits: Edit[]): Promise<void> {
  const next = queue.then(async () => {
    if (editing === null) return;
    const before = current(editing).text;
    const step = await gateway.edit(before, edits);
    // If the user undid something meanwhile, the result of the edit is dropped.
    if (editing !== null && current(editing).text === before) {
      keep(push(editing, { ...step, what: edits.map(inWords).join(", ") }));
    }
  });
  queue = next.catch(() => undefined);
  return next;
}

/** Checks the text again. The result can change when a file that the flow names changes. */
export async function lookAgain(): Promise<void> {
  if (editing === null) return;
  const { text } = current(editing);
  const looked = await gateway.look(text);
  change((now) =>
    current(now).text !== text
      ? now
      : { ...now, steps: now.steps.map((step, at) => (at === now.at ? { ...step, ...looked } : step)) },
  );
}

/** Adds a whole text, such as that of a version, as the next step. */
export async function take(text: string, what: string): Promise<void> {
  const looked = await gateway.look(text);
  change((before) => push(before, { ...looked, text, what }));
}
