/** The gateway's work on a flow file: its graph, its mistakes, and edits of its text. */
import type { Diagnostic, Edit, Graph, GraphNode, Looked, Source } from "../../src/api/types.ts";
import type { Setting } from "../../src/graph/settings.ts";
import { KINDS } from "./kinds.ts";
import { type Block, blocks, written } from "./toml.ts";

interface Named {
  block: Block;
  kind: string;
  name: string;
}

function named(text: string): Named[] {
  return blocks(text).flatMap((block) => {
    const [kind, name] = block.table.split(".");
    return name !== undefined && KINDS.some((each) => each.kind === kind) ? [{ block, kind: kind!, name }] : [];
  });
}

export function graphOf(text: string): Graph {
  return {
    nodes: named(text).map(({ block, kind, name }): GraphNode => {
      const { from, ...settings } = Object.fromEntries(block.lines.map(({ key, value }) => [key, value]));
      const known = KINDS.find((each) => each.kind === kind)?.streams;
      return {
        name,
        kind,
        table: block.table,
        from: words(from).map(source),
        streams: known ?? [],
        settings,
        script: typeof settings.script === "string" ? settings.script : null,
        line: block.at + 1,
      };
    }),
  };
}

const words = (from: Setting) => (from === undefined ? [] : ([from].flat() as string[]));

function source(word: string): Source {
  const [node, stream] = word.split(".");
  return { word, node: node!, stream: stream ?? null };
}

/** The mistakes of a text, none of which is left out. */
export const mistakesOf = (diagnostics: Diagnostic[]) => ({ diagnostics, diagnostics_left_out: 0 });

export function look(text: string): Looked {
  const graph = graphOf(text);
  const names = new Set(graph.nodes.map((node) => node.name));
  const diagnostics = graph.nodes.flatMap((node): Diagnostic[] => {
    const at = (message: string, hint: string | null = null, severity: "error" | "warning" = "error"): Diagnostic => ({
      severity,
      file: "flow.toml",
      line: node.line,
      column: 2,
      message,
      hint,
      node: node.name,
      text: `flow.toml:${node.line}:2: ${message}`,
    });
    const found: Diagnostic[] = [];
    if (node.kind !== "network-element" && node.from.length === 0) {
      found.push(at(`"${node.name}" takes records from nowhere`, 'say it: from = "NAME"'));
    }
    for (const { node: other, word } of node.from) {
      if (!names.has(other)) found.push(at(`no node named "${other}"`, `"${word}" stands in its "from"`));
    }
    for (const setting of KINDS.find((kind) => kind.kind === node.kind)?.settings ?? []) {
      const [outer, inner] = setting.key.split(".");
      const value = node.settings[outer!];
      const isThere =
        inner === undefined ? value !== undefined : typeof value === "object" && value !== null && inner in value;
      if (setting.required && !isThere) found.push(at(`"${node.name}" has no "${setting.key}"`, setting.help));
    }
    const isTaken = graph.nodes.some((each) => each.from.some((from) => from.node === node.name));
    if (!isTaken && node.kind !== "post-processing-system") {
      found.push(at(`nothing takes "${node.name}"`, "its records are filtered out", "warning"));
    }
    return found;
  });
  return { graph, ...mistakesOf(diagnostics) };
}

/** A mistake in a request. */
export class Mistake extends Error {}

export function edited(text: string, edits: Edit[]): string {
  return edits.reduce(one, text);
}

function one(text: string, edit: Edit): string {
  const lines = text.split("\n");
  const find = (name: string) => {
    const found = named(text).find((each) => each.name === name);
    if (found === undefined) throw new Mistake(`there is no node "${name}"`);
    return found;
  };
  if (edit.do === "add") {
    if (named(text).some((each) => each.name === edit.name))
      throw new Mistake(`there is a node "${edit.name}" already`);
    const { from = [], settings = {} } = edit;
    const body = Object.entries(nested(settings)).map(([key, value]) => `${key} = ${written(value)}`);
    if (from.length > 0) body.unshift(`from = ${written(from.length === 1 ? from[0]! : from)}`);
    return [text.trimEnd(), "", `[${edit.kind}.${edit.name}]`, ...body, ""].join("\n");
  }
  if (edit.do === "remove") {
    const { block } = find(edit.name);
    lines.splice(block.at, block.end - block.at + (lines[block.end] === "" ? 1 : 0));
    return lines.join("\n");
  }
  if (edit.do === "rename") {
    if (!/^[\w-]+$/.test(edit.to)) throw new Mistake(`"${edit.to}" is no name: letters, digits, "-" and "_" make one`);
    const { block, kind } = find(edit.name);
    lines[block.at] = `[${kind}.${edit.to}]`;
    for (const each of named(text)) {
      const from = each.block.lines.find((line) => line.key === "from");
      if (from === undefined) continue;
      const next = words(from.value).map((word) => {
        const { node, stream } = source(word);
        return node !== edit.name ? word : stream == null ? edit.to : `${edit.to}.${stream}`;
      });
      lines[from.at] =
        from.at === block.at ? lines[from.at]! : replaced(lines[from.at]!, next.length === 1 ? next[0]! : next);
    }
    return lines.join("\n");
  }
  if (edit.do === "connect" || edit.do === "disconnect") {
    const { block } = find(edit.to);
    const from = block.lines.find((line) => line.key === "from");
    const before = words(from?.value);
    if (edit.do === "connect" && before.includes(edit.from))
      throw new Mistake(`"${edit.to}" takes "${edit.from}" already`);
    const next = edit.do === "connect" ? [...before, edit.from] : before.filter((word) => word !== edit.from);
    const value = next.length === 1 ? next[0]! : next;
    if (next.length === 0 && from !== undefined) lines.splice(from.at, 1);
    else if (from === undefined) lines.splice(block.at + 1, 0, `from = ${written(value)}`);
    else lines[from.at] = replaced(lines[from.at]!, value);
    return lines.join("\n");
  }
  const { block } = find(edit.name);
  const [outer, inner] = edit.key.split(".");
  const line = block.lines.find((each) => each.key === outer);
  const before = line?.value;
  let value: Setting = edit.do === "set" ? edit.value : undefined;
  if (inner !== undefined) {
    const table: Record<string, Setting> = { ...(typeof before === "object" && !Array.isArray(before) ? before : {}) };
    if (value === undefined) delete table[inner];
    else table[inner] = value;
    value = Object.keys(table).length === 0 ? undefined : table;
  }
  if (value === undefined) {
    if (line !== undefined) lines.splice(line.at, 1);
  } else if (line === undefined) lines.splice(block.end, 0, `${outer} = ${written(value)}`);
  else lines[line.at] = replaced(lines[line.at]!, value);
  return lines.join("\n");
}

const replaced = (line: string, value: Setting) =>
  line.replace(/^(\s*[\w-]+\s*=\s*).*$/, (_, before: string) => before + written(value));

function nested(settings: { [key: string]: Setting }): { [key: string]: Setting } {
  const found: { [key: string]: Setting } = {};
  for (const [key, value] of Object.entries(settings)) {
    const [outer, inner] = key.split(".");
    if (inner === undefined) found[key] = value;
    else found[outer!] = { ...((found[outer!] as { [key: string]: Setting } | undefined) ?? {}), [inner]: value };
  }
  return found;
}
