/** What can be written at a place, while somebody writes. */
import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  autocompletion,
} from "@codemirror/autocomplete";

import { gateway } from "../api/gateway";
import type { NameSort, ScriptCandidate } from "../api/types";
import { explained } from "./explained";
import { placeAt, position } from "./places";

/** The signs that the editor has for them. */
const SIGNS: { [sort in NameSort]: string } = {
  function: "function",
  variable: "variable",
  table: "namespace",
  type: "type",
  field: "property",
  value: "enum",
  word: "keyword",
};

/** The gateway's order is that of what is nearest: it holds among those that fit what is written equally well. */
function shown({ name, sort, code, text }: ScriptCandidate, place: number): Completion {
  const shown: Completion = { label: name, type: SIGNS[sort], sortText: String(place).padStart(6, "0") };
  return code === "" ? shown : { ...shown, info: () => explained({ code, text }) };
}

async function complete(file: string, context: CompletionContext): Promise<CompletionResult | null> {
  const { state, pos } = context;
  // Unasked it comes with a word, or behind the dot of a path.
  if (!context.explicit && context.matchBefore(/[\w-]|\./) === null) return null;
  const asked = gateway.completion(file, state.doc.toString(), placeAt(state, pos));
  // Without an answer a script can be written too.
  const found = await asked.catch(() => null);
  if (found === null || found.candidates.length === 0) return null;
  return { from: position(state, found), options: found.candidates.map(shown), validFor: /^[\w-]*$/ };
}

export const completion = (file: string) => autocompletion({ override: [(context) => complete(file, context)] });
