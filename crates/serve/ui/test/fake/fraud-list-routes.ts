/** Lists of keys: shown, changed and imported. */
import type { DifferentListEntry, FraudListEntry } from "../../src/api/types.ts";
import { type FakeRoute, no, note, ok, page, route } from "./answering.ts";
import { LIST_NODE, entry } from "./fraud-lists.ts";
import { hidden, isMasked } from "./fraud-masks.ts";
import { mistakesOf } from "./flow-file.ts";
import type { World } from "./world.ts";

const PROBLEM = 'the list has mistakes: lists/staff.csv:1:1: a list has no column "number"';

const isDead = ({ over, hits }: FraudListEntry) => over || hits === 0;

export const isFor = (entry: string, key: string) =>
  entry.endsWith("*") ? key.startsWith(entry.slice(0, -1)) : entry === key;

const unknown = (name: string) => no(404, `there is no list "${name}"`, "fraud-list-unknown");

const HIDDEN = no(403, "a search by key needs the role operator: others do not see subscriber data");

const masked = (of: FraudListEntry): FraudListEntry => ({ ...of, key: hidden(of.key) });

const written = ({ from, until, source, who, because }: FraudListEntry): DifferentListEntry["before"][number] => ({
  from: from ?? "",
  until: until ?? "",
  source: source ?? "",
  who: who ?? "",
  because: because ?? "",
});

/** Returns the entries of a text, or the first mistake. Cells have no quotes here. */
function entriesOf(text: string): FraudListEntry[] | { line: number; column: number; message: string } {
  const [header = "", ...rows] = text.trimEnd().split(/\r?\n/);
  const columns = header.split(",");
  if (!columns.includes("key")) return { line: 1, column: 1, message: 'the column "key" is missing' };
  const entries: FraudListEntry[] = [];
  for (const [place, row] of rows.entries()) {
    const cells = Object.fromEntries(row.split(",").map((cell, column) => [columns[column], cell || null]));
    if (cells.until != null && !/^\d{4}-\d\d-\d\d$/.test(cells.until))
      return { line: place + 2, column: row.indexOf(cells.until) + 1, message: `"${cells.until}" is no day` };
    entries.push(entry(place + 2, cells.key ?? "", { ...cells, source: cells.source ?? "import" }));
  }
  return entries;
}

function differences(before: readonly FraudListEntry[], after: readonly FraudListEntry[]): DifferentListEntry[] {
  const keys = [...new Set([...before, ...after].map(({ key }) => key))];
  const of = (key: string, entries: readonly FraudListEntry[]) =>
    entries.filter((each) => each.key === key).map(written);
  return keys
    .map((key) => ({ key, before: of(key, before), after: of(key, after) }))
    .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after));
}

const renumbered = (entries: FraudListEntry[]) => entries.map((each, place) => ({ ...each, line: place + 2 }));

export const FRAUD_LIST_ROUTES: FakeRoute[] = [
  route("GET /api/fraud/lists", "viewer", (world, _, __, who) => {
    const problem = isMasked(world, who)
      ? "the list has mistakes; they are shown to users who see subscriber data"
      : PROBLEM;
    const lists = Object.entries(world.lists).map(([name, entries]) => ({
      name,
      entries: entries?.length ?? null,
      dead: entries?.filter(isDead).length ?? null,
      problem: entries === null ? problem : null,
    }));
    return ok({ folders: lists.length > 0 ? [{ nodes: [LIST_NODE], lists, problem: null }] : [] });
  }),
  route("GET /api/fraud/lists/{name}", "viewer", (world, { query }, { name }, who) => {
    const entries = world.lists[name];
    const isHidden = isMasked(world, who);
    const key = query.get("key");
    if (isHidden && key !== null) return HIDDEN;
    if (entries === undefined) return unknown(name);
    if (entries === null) return no(409, PROBLEM, "fraud-list-mistaken");
    const fits = entries.filter(
      (each) => (query.get("dead") !== "true" || isDead(each)) && (key === null || isFor(each.key, key)),
    );
    const { rows, more } = page(query, fits.toReversed(), ({ line }) => line);
    return ok({ entries: isHidden ? rows.map(masked) : rows, more, masked: isHidden });
  }),
  route("POST /api/fraud/lists/{name}/add", "operator", (world, { body }, { name }, who) => {
    const entries = world.lists[name];
    if (entries == null) return unknown(name);
    if (entries.some(({ key, over }) => key === body.key && !over))
      return no(
        409,
        "the list has an entry of this key that holds as long: remove it first to change it",
        "fraud-list-entry-there",
      );
    const { key, from = null, until = null, source = null, because } = body;
    entries.push(entry((entries.at(-1)?.line ?? 1) + 1, key, { from, until, source, because, who }));
    note(world, who, "fraud list add", `list "${name}": 1 added`, because);
    return ok({ changed: 1 });
  }),
  route("POST /api/fraud/lists/{name}/remove", "operator", (world, { body }, { name }, who) => {
    const entries = world.lists[name];
    if (entries == null) return unknown(name);
    const rest = entries.filter(({ key }) => key !== body.key);
    const changed = entries.length - rest.length;
    if (changed === 0) return no(404, "the list has no entry of this key", "fraud-list-entry-unknown");
    world.lists[name] = rest;
    note(world, who, "fraud list remove", `list "${name}": ${changed} removed`, body.because);
    return ok({ changed });
  }),
  route("POST /api/fraud/lists/{name}/import", "operator", (world, { body }, { name }, who) => {
    const found = entriesOf(body.text);
    if (!Array.isArray(found)) return ok({ ...mistakenImport(found, body.file ?? name) });
    const all = differences(world.lists[name] ?? [], found);
    const those = (fits: (of: DifferentListEntry) => boolean) => all.filter(fits).length;
    if (body.apply === true) {
      setList(world, name, found);
      note(world, who, "fraud list import", `list "${name}"`, body.because ?? "");
    }
    return ok({
      applied: body.apply === true,
      added: those(({ before }) => before.length === 0),
      removed: those(({ after }) => after.length === 0),
      changed: those(({ before, after }) => before.length > 0 && after.length > 0),
      differences: all,
      differences_left_out: 0,
      ...mistakesOf([]),
    });
  }),
];

function setList(world: World, name: string, found: FraudListEntry[]): void {
  const before = world.lists[name] ?? [];
  const hitsOf = (key: string) => before.find((each) => each.key === key);
  world.lists[name] = renumbered(
    found.map((each) => ({ ...each, hits: hitsOf(each.key)?.hits ?? 0, last_hit: hitsOf(each.key)?.last_hit ?? null })),
  );
}

const mistakenImport = (of: { line: number; column: number; message: string }, file: string) => ({
  applied: false,
  added: 0,
  removed: 0,
  changed: 0,
  differences: [],
  differences_left_out: 0,
  ...mistakesOf([
    {
      ...of,
      severity: "error",
      file,
      hint: null,
      node: null,
      text: `${file}:${of.line}:${of.column}: ${of.message}`,
    },
  ]),
});
