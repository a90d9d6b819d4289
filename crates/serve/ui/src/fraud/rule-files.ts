/** The files in the folders of rules: which one a rule is, and how a new one begins. */
import type { FraudRuleFile, Graph } from "../api/types";

/** The kinds of files in a folder of rules. */
export const RULE_FILE_KINDS = [
  { ending: ".toml", kind: "rule", word: "rule" },
  { ending: ".csv", kind: "table", word: "table of limits" },
  { ending: ".dup", kind: "script", word: "script of a rule" },
] as const;

export type Ending = (typeof RULE_FILE_KINDS)[number]["ending"];

/** Returns what a file is, by its name. */
export const kindOf = (file: string) => RULE_FILE_KINDS.find(({ ending }) => file.endsWith(ending))?.kind ?? "table";

const inFolder = (folder: string, name: string) => `${folder.replace(/\/+$/, "")}/${name}`;

/** Returns whether a file is in one of the folders of rules. */
export const isRuleFile = (folders: readonly string[], file: string): boolean =>
  folders.some((folder) => file === inFolder(folder, file.slice(file.lastIndexOf("/") + 1)));

/** Returns the file of a rule: that in the folder of its node, if several folders have one of that name. */
export function fileOfRule(
  files: readonly FraudRuleFile[],
  { node, rule }: { node: string; rule: string },
  graph: Graph | null,
): string | null {
  const found = files.map(({ file }) => file).filter((file) => file.endsWith(`/${rule}.toml`));
  const folder = graph?.nodes.find(({ name }) => name === node)?.settings.rules;
  const own = typeof folder === "string" ? inFolder(folder, `${rule}.toml`) : null;
  return found.find((file) => file === own) ?? found[0] ?? null;
}

/** Returns the name of a new file. */
export const newRuleFile = (folder: string, name: string, ending: Ending): string => inFolder(folder, name + ending);

/** Returns whether a name is one for a new file. The gateway does not read hidden files, and no folders in the folder. */
export const isRuleName = (name: string): boolean => /^[A-Za-z0-9][\w-]*$/.test(name);

/** Returns the initial text of a new file. A rule is tried out first, about the first subject of the folder's node. */
export function beginningOf(ending: Ending, folder: string, graph: Graph | null): string {
  switch (ending) {
    case ".toml":
      return [
        'title = "what it finds"',
        `about = "${subjectOf(folder, graph) ?? "caller"}"`,
        "at-least = 100",
        'within = "1 hour"',
        "score = 50",
        'mode = "shadow"',
        "",
      ].join("\n");
    case ".csv":
      return "prefix,days,hours,calls-warning,calls-critical\n";
    case ".dup":
      return "-- Functions over a record, which a rule beside this file can name.\n";
  }
}

/** Returns the first subject of the node that reads a folder: `caller` of `caller = record.caller`. */
function subjectOf(folder: string, graph: Graph | null): string | null {
  const subjects = graph?.nodes.find(({ kind, settings }) => kind === "fraud" && settings.rules === folder)?.settings
    .subjects;
  const first: unknown = Array.isArray(subjects) ? subjects[0] : subjects;
  return typeof first === "string" ? (/^[\w-]+/.exec(first.trim())?.[0] ?? null) : null;
}
