/** Describes a step of a record's way, as `tollgate trace` does. */
import type { Step } from "../api/types";

/** The kinds of steps, each with its content. */
type Kinds = {
  [Each in Step as Each extends string ? Each : keyof Each]: Each extends string ? null : Each[keyof Each];
};

const WORDS: { [Kind in keyof Kinds]: (of: Kinds[Kind]) => string } = {
  passed: ({ node, stream }) => `passed ${node}${stream === "" ? "" : `, as ${stream}`}`,
  ended: ({ node }) => `ended at ${node}: it made nothing of it`,
  made: ({ node }) => `${node} made others of it`,
  held: ({ node }) => `waits in ${node}`,
  released: ({ node }) => `its group of ${node} was over`,
  written: ({ system }) => `written for ${system}`,
  "written-often": ({ system }) => `many records were written for ${system}`,
  suspended: ({ at }) => `set aside at ${at}`,
  duplicate: ({ at }) => `set aside at ${at}: it came before`,
  unreadable: () => "it could not be read",
  more: () => "there are more steps than are noted",
};

export function stepInWords(step: Step): string {
  const [what, of] = typeof step === "string" ? [step, null] : (Object.entries(step)[0] ?? ["", null]);
  // A later gateway can have other steps.
  const words = (WORDS as { [what: string]: ((of: never) => string) | undefined })[what];
  return words?.(of as never) ?? what.replaceAll("-", " ");
}
