/** Describes a step of a record's way, as `tollgate trace` does. */
import type { Step } from "../api/types";

const WORDS: Record<string, (of: { [key: string]: string }) => string> = {
  passed: ({ node, stream }) => `passed ${node}${stream === undefined || stream === "" ? "" : `, as ${stream}`}`,
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
  const [what, of] = typeof step === "string" ? [step, {}] : (Object.entries(step)[0] ?? ["", {}]);
  return WORDS[what]?.(of) ?? what.replaceAll("-", " ");
}
