/** Settings as lines of a form. The key of a setting in a table has a dot. */
import type { GraphNode, Kind, KindSetting } from "../api/types";

/** Settings that have their own place in the panel. */
const ELSEWHERE = new Set(["from"]);

/** What a field takes: what the kind says, or what the value in the flow file is. */
export type Sort = KindSetting["sort"] | "number" | "list";

/** A value in the flow file: any that TOML has. */
export type Setting = GraphNode["settings"][string];

export interface FormLine {
  key: string;
  sort: Sort;
  /** Undefined if it is not set. */
  value: Setting;
  isRequired: boolean;
  help: string;
}

const isTable = (value: Setting): value is { [key: string]: Setting } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Flattens tables: `{deliver: {dir: "out"}}` becomes `deliver.dir`. */
export function flat(settings: { [key: string]: Setting }, before = ""): Map<string, Setting> {
  const found = new Map<string, Setting>();
  for (const [key, value] of Object.entries(settings)) {
    if (isTable(value)) for (const [inner, each] of flat(value, `${before}${key}.`)) found.set(inner, each);
    else found.set(before + key, value);
  }
  return found;
}

/** Returns the settings of the kind, in its order, and then other settings of the flow file. */
export function formLines(node: Pick<GraphNode, "settings">, kind: Kind | undefined): FormLine[] {
  const values = flat(node.settings);
  const known = (kind?.settings ?? []).filter(({ key }) => !ELSEWHERE.has(key));
  const lines = known.flatMap((setting): FormLine[] => {
    const value = values.get(setting.key);
    // A table has one line for each of its settings.
    const within = [...values].filter(
      ([key]) => key.startsWith(`${setting.key}.`) && !known.some((other) => other.key === key),
    );
    if (value === undefined && within.length > 0) return within.map(([key, each]) => unknown(key, each, setting.help));
    return [line(setting, value)];
  });
  const listed = new Set(lines.map(({ key }) => key));
  const rest = [...values].filter(([key]) => !listed.has(key) && !ELSEWHERE.has(key));
  return [...lines, ...rest.map(([key, value]) => unknown(key, value, ""))];
}

const line = ({ key, sort, required, help }: KindSetting, value: Setting): FormLine => ({
  key,
  // The current value tells the sort more precisely than "text".
  sort: sort === "text" && value !== undefined ? sortOf(value) : sort,
  value,
  isRequired: required,
  help,
});

const unknown = (key: string, value: Setting, help: string): FormLine => ({
  key,
  sort: sortOf(value),
  value,
  isRequired: false,
  help,
});

function sortOf(value: Setting): Sort {
  if (typeof value === "boolean") return "truth";
  if (typeof value === "number") return "number";
  return Array.isArray(value) ? "list" : "text";
}

/** Formats a value for a field. */
export const written = (value: Setting): string => {
  if (value === undefined) return "";
  return Array.isArray(value)
    ? value.map(written).join("\n")
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);
};

/** Reads a field as a value: undefined if it is empty, or a problem if the text does not fit the sort. */
export function readAs(sort: Sort, text: string): { value: Setting } | { problem: string } {
  const trimmed = text.trim();
  if (trimmed === "") return { value: undefined };
  if (sort === "truth") return { value: trimmed === "true" };
  if (sort === "list")
    return {
      value: trimmed
        .split("\n")
        .map((each) => each.trim())
        .filter((each) => each !== ""),
    };
  if (sort !== "number") return { value: text };
  const number = Number(trimmed.replaceAll(/[_,]/g, ""));
  return Number.isFinite(number) ? { value: number } : { problem: `"${trimmed}" is no number` };
}

/** Guesses the value of a text whose sort is not given: `true`, `12`, or a text. */
export function meant(text: string): Setting {
  if (text === "true" || text === "false") return text === "true";
  const read = readAs("number", text);
  return "value" in read && typeof read.value === "number" && /^-?[0-9]/.test(text) ? read.value : text;
}
