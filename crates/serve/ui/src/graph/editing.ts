/** A flow file that is being changed: its texts, one behind the other, so that any change can be taken back. */
import { useSyncExternalStore } from "react";

import { gateway } from "../api/gateway";
import type { Edit, Edited, Flow } from "../api/types";
import { askedBeforeLeaving } from "../parts/unsaved";

/** Texts that can be gone back to. */
const STEPS_MAX = 200;

export interface Step extends Edited {
  /** What was done, for the button that takes it back. */
  what: string;
}

export interface Editing {
  /** The flow file when editing began, or as it was last compared with. */
  base: { text: string; digest: string };
  steps: Step[];
  at: number;
  /** The version that was saved last, its text, and what is said of it. */
  saved: { version: number; text: string; remark: string } | null;
}

export const begin = (flow: Flow): Editing => ({
  base: { text: flow.text, digest: flow.digest },
  steps: [
    {
      text: flow.text,
      graph: flow.graph,
      diagnostics: flow.diagnostics,
      diagnostics_left_out: flow.diagnostics_left_out ?? 0,
      what: "begun",
    },
  ],
  at: 0,
  saved: null,
});

/** What was taken back before is gone with the next change. */
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

/** Whether something would be lost that is neither the flow file nor a version. */
export const isUnsaved = (editing: Editing) => isChanged(editing) && current(editing).text !== editing.saved?.text;

/** What an edit does, in words. */
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

// It outlives the page: whoever looks at an alarm meanwhile finds their changes again.
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

/** Edits go one after the other: each is of the text that the one before made. */
let queue: Promise<unknown> = Promise.resolve();

export function edit(edits: Edit[]): Promise<void> {
  const next = queue.then(async () => {
    if (editing === null) return;
    const before = current(editing).text;
    const step = await gateway.edit(before, edits);
    // Whoever takes something back meanwhile means that, not this.
    if (editing !== null && current(editing).text === before) {
      keep(push(editing, { ...step, what: edits.map(inWords).join(", ") }));
    }
  });
  queue = next.catch(() => undefined);
  return next;
}

/** What the check says of the flow file may be different when a file that it names is. */
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

/** Takes a whole text, that of a version, as the next step. */
export async function take(text: string, what: string): Promise<void> {
  const looked = await gateway.look(text);
  change((before) => push(before, { ...looked, text, what }));
}
