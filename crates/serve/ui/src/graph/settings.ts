/** Settings as a form has them: one line each, those of tables with a dot. */
import type { GraphNode, Kind, KindSetting, Setting, Sort } from "../api/types";

/** Settings that have a place of their own in the panel. */
const ELSEWHERE = new Set(["from"]);

export interface FormLine {
  key: string;
  sort: Sort;
  value: Setting | undefined;
  isRequired: boolean;
  help: string;
}

const isTable = (value: Setting): value is { [key: string]: Setting } =>
  typeof value === "object" && !Array.isArray(value);

/** `{deliver: {dir: "out"}}` as `deliver.dir`. */
export function flat(settings: { [key: string]: Setting }, before = ""): Map<string, Setting> {
  const found = new Map<string, Setting>();
  for (const [key, value] of Object.entries(settings)) {
    if (isTable(value)) for (const [inner, each] of flat(value, `${before}${key}.`)) found.set(inner, each);
    else found.set(before + key, value);
  }
  return found;
}

/** What is known of the kind, in its order, and behind it what stands in the flow file besides. */
export function formLines(node: Pick<GraphNode, "settings">, kind: Kind | undefined): FormLine[] {
  const values = flat(node.settings);
  const known = (kind?.settings ?? []).filter(({ key }) => !ELSEWHERE.has(key));
  const lines = known.flatMap((setting): FormLine[] => {
    const value = values.get(setting.key);
    // Of a table, those that it has.
    const within = [...values].filter(
      ([key]) => key.startsWith(`${setting.key}.`) && !known.some((other) => other.key === key),
    );
    if (value === undefined && (setting.sort === "table" || within.length > 0))
      return within.map(([key, each]) => unknown(key, each, setting.help));
    return [line(setting, value)];
  });
  const listed = new Set(lines.map(({ key }) => key));
  const rest = [...values].filter(([key]) => !listed.has(key) && !ELSEWHERE.has(key));
  return [...lines, ...rest.map(([key, value]) => unknown(key, value, ""))];
}

const line = ({ key, sort, required, help }: KindSetting, value: Setting | undefined): FormLine => ({
  key,
  // What stands there says better what it is than "text" does.
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

/** A value as a field shows it. */
export const written = (value: Setting | undefined): string => {
  if (value === undefined) return "";
  return Array.isArray(value)
    ? value.map(written).join("\n")
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);
};

/** What a field says, as a value; nothing where it is empty, and a problem where it is no value of the sort. */
export function readAs(sort: Sort, text: string): { value: Setting | undefined } | { problem: string } {
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

/** What a person means who writes a value without saying its sort: `true`, `12`, or a text. */
export function meant(text: string): Setting {
  if (text === "true" || text === "false") return text === "true";
  const read = readAs("number", text);
  return "value" in read && typeof read.value === "number" && /^-?[0-9]/.test(text) ? read.value : text;
}
