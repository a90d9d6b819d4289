/**
 * Reads as much TOML as the example's flow file has: named tables, and one value per line. Edits keep all other lines.
 */
import type { Setting } from "../../src/graph/settings.ts";

export interface Line {
  key: string;
  value: Setting;
  at: number;
}

export interface Block {
  table: string;
  /** The line index of the header. */
  at: number;
  /** The line index at which the comments of the next block begin. */
  end: number;
  lines: Line[];
}

export function blocks(text: string): Block[] {
  const found: Block[] = [];
  const lines = text.split("\n");
  lines.forEach((line, at) => {
    const header = /^\[([^\]]+)\]/.exec(line.trim());
    if (header !== null) found.push({ table: header[1]!, at, end: lines.length, lines: [] });
    const setting = /^([\w-]+)\s*=\s*(.+)$/.exec(line.trim());
    const block = found.at(-1);
    if (header === null && setting !== null && block !== undefined) {
      block.lines.push({ key: setting[1]!, value: read(setting[2]!), at });
    }
  });
  found.forEach((block, place) => {
    let end = found[place + 1]?.at ?? lines.length;
    while (end > block.at + 1 && /^\s*(#.*)?$/.test(lines[end - 1]!)) end -= 1;
    block.end = end;
  });
  return found;
}

/** Reads a value. The rest of the line is a comment. */
export function read(text: string): Setting {
  const [value] = readAt(text.trim(), 0);
  return value;
}

function readAt(text: string, start: number): [Setting, number] {
  let at = skip(text, start);
  if (text[at] === '"') {
    const end = text.indexOf('"', at + 1);
    return [text.slice(at + 1, end), end + 1];
  }
  if (text[at] === "[") {
    const values: Setting[] = [];
    at = skip(text, at + 1);
    while (text[at] !== "]") {
      const [value, next] = readAt(text, at);
      values.push(value);
      at = skip(text, next);
      if (text[at] === ",") at = skip(text, at + 1);
    }
    return [values, at + 1];
  }
  if (text[at] === "{") {
    const values: { [key: string]: Setting } = {};
    at = skip(text, at + 1);
    while (text[at] !== "}") {
      const key = /^[\w-]+/.exec(text.slice(at))![0];
      at = skip(text, at + key.length);
      const [value, next] = readAt(text, at + 1);
      values[key] = value;
      at = skip(text, next);
      if (text[at] === ",") at = skip(text, at + 1);
    }
    return [values, at + 1];
  }
  const word = /^[^,\]}#\s]+/.exec(text.slice(at))?.[0] ?? "";
  const end = at + Math.max(1, word.length);
  if (word === "true" || word === "false") return [word === "true", end];
  const number = Number(word.replaceAll("_", ""));
  return [Number.isNaN(number) ? word : number, end];
}

const skip = (text: string, at: number) => at + /^\s*/.exec(text.slice(at))![0].length;

export function written(value: Setting): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const inside = Object.entries(value).map(([key, each]) => `${key} = ${written(each)}`);
    return inside.length === 0 ? "{}" : `{ ${inside.join(", ")} }`;
  }
  return String(value);
}
