/** Suggests names while the user types. */
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

/** The editor's icons for them. */
const SIGNS: { [sort in NameSort]: string } = {
  function: "function",
  variable: "variable",
  table: "namespace",
  type: "type",
  field: "property",
  value: "enum",
  word: "keyword",
};

/** Keeps the gateway's order, nearest first, among names that match equally well. */
function shown({ name, sort, code, text }: ScriptCandidate, place: number): Completion {
  const shown: Completion = { label: name, type: SIGNS[sort], sortText: String(place).padStart(6, "0") };
  return code === "" ? shown : { ...shown, info: () => explained({ code, text }) };
}

async function complete(file: string, context: CompletionContext): Promise<CompletionResult | null> {
  const { state, pos } = context;
  // Without a key command, suggestions appear at a word or after the dot of a path.
  if (!context.explicit && context.matchBefore(/[\w-]|\./) === null) return null;
  const asked = gateway.completion(file, state.doc.toString(), placeAt(state, pos));
  // If the request fails, there are no suggestions.
  const found = await asked.catch(() => null);
  if (found === null || found.candidates.length === 0) return null;
  return { from: position(state, found), options: found.candidates.map(shown), validFor: /^[\w-]*$/ };
}

export const completion = (file: string) => autocompletion({ override: [(context) => complete(file, context)] });
