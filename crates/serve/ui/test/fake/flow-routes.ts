/** The flow, its versions and its scripts. */
import type { Edit, Version } from "../../src/api/types.ts";
import { type Answer, type Route, at, digest, no, note, ok, page, text } from "./answering.ts";
import { edited, graphOf, look } from "./flow-file.ts";
import { KINDS } from "./kinds.ts";
import type { World } from "./world.ts";

const without = ({ text: _, files: __, ...version }: World["versions"][number]): Version => version;
/** The files that the flow names and that versions do not include. */
const LEFT_OUT = [{ name: "tables/numbering.csv", why: "it has more than 16 MiB" }];

/** Returns a digest of the files on the disk. */
const foundIn = (world: World) => digest(JSON.stringify([world.text, world.scripts]));

const mistakesOf = (flow: string) =>
  look(flow)
    .diagnostics.filter((each) => each.severity === "error")
    .map((each) => each.text);

function activated(world: World, version: number, who: string): Answer {
  const found = world.versions.find((each) => each.version === version);
  if (found === undefined) return no(404, `there is no version ${version}`);
  const mistakes = mistakesOf(found.text);
  if (mistakes.length > 0) return ok({ answer: "mistakes", changed: [], mistakes });
  for (const each of world.versions) each.active = each === found;
  found.activated.push({ at: at(world), who });
  const changed = found.text === world.text ? [] : ["flow.toml"];
  world.text = found.text;
  for (const { name, text: script } of found.files) world.scripts[name] = script;
  world.running = graphOf(found.text);
  note(world, who, "flow activate", `version ${version}`, found.remark);
  return ok({ answer: "active", changed, mistakes: [] }, "flow");
}

function script(file: string, of: string) {
  return of.split("\n").flatMap((line, place) => {
    const column = line.indexOf("mistake");
    if (column < 0) return [];
    const message = 'there is no variable "mistake"';
    return [
      {
        severity: "error" as const,
        file,
        line: place + 1,
        column: column + 1,
        message,
        hint: "declare it first",
        node: null,
        text: [
          `${file}:${place + 1}:${column + 1}: ${message}`,
          `${String(place + 1).padStart(5)} | ${line}`,
          `      | ${" ".repeat(column)}${"^".repeat("mistake".length)} declare it first`,
        ].join("\n"),
      },
    ];
  });
}

export const FLOW_ROUTES: Route[] = [
  [
    "GET",
    "/api/flow",
    "viewer",
    (world) =>
      ok({ text: world.text, digest: digest(world.text), ...look(world.text), name: "msc-billing", kinds: KINDS }),
  ],
  ["POST", "/api/flow/look", "viewer", (_, { body }) => ok(look(text(body.text)))],
  [
    "POST",
    "/api/flow/edit",
    "operator",
    (_, { body }) => {
      const next = edited(text(body.text), body.edits as Edit[]);
      return ok({ text: next, ...look(next) });
    },
  ],
  [
    "POST",
    "/api/flow/versions",
    "operator",
    (world, { body }, _, who) => {
      const version = (world.versions.at(-1)?.version ?? 0) + 1;
      world.versions.push({
        version,
        at: at(world),
        who,
        remark: text(body.remark),
        active: false,
        activated: [],
        text: text(body.text),
        files: Object.entries(world.scripts).map(([name, script]) => ({ name, text: script })),
      });
      note(world, who, "flow save", `version ${version}`, text(body.remark));
      return ok({ version, left_out: LEFT_OUT, found: foundIn(world) }, "versions");
    },
  ],
  [
    "GET",
    "/api/flow/versions",
    "viewer",
    (world, { query }) => {
      const { rows, more } = page(query, [...world.versions].reverse(), (each) => each.version);
      return ok({ versions: rows.map(without), more });
    },
  ],
  [
    "GET",
    "/api/flow/versions/:version",
    "viewer",
    (world, _, { version }) => {
      const found = world.versions.find((each) => String(each.version) === version);
      if (found === undefined) return no(404, `there is no version ${version}`);
      return ok({
        version: found.version,
        at: found.at,
        who: found.who,
        remark: found.remark,
        text: found.text,
        files: found.files.map(({ name, text: kept }) => {
          const now = world.scripts[name] ?? null;
          const is_other = now !== kept;
          return { name, octets: kept.length, text: kept, is_other, now: is_other ? now : null };
        }),
        left_out: LEFT_OUT,
        found: foundIn(world),
      });
    },
  ],
  [
    "POST",
    "/api/flow/versions/:version/activate",
    "operator",
    (world, { body }, { version }, who) =>
      (body.based_on === undefined || body.based_on === digest(world.text)) &&
      (body.found === undefined || body.found === foundIn(world))
        ? activated(world, Number(version), who)
        : no(409, "the files of the flow were changed by somebody else meanwhile"),
  ],

  [
    "GET",
    "/api/scripts",
    "viewer",
    (world) =>
      ok({
        scripts: Object.entries(world.scripts)
          .map(([file, script]) => ({
            file,
            digest: digest(script),
            nodes: world.running.nodes.filter((node) => node.script === file).map((node) => node.name),
          }))
          .filter(({ nodes }) => nodes.length > 0),
      }),
  ],
  [
    "POST",
    "/api/scripts",
    "operator",
    (world, { body }, _, who) => {
      const file = text(body.file);
      const there = world.scripts[file];
      if (there === undefined ? body.based_on != null : body.based_on !== digest(there))
        return no(409, `there is a script "${file}" already`);
      world.scripts[file] = text(body.text);
      note(world, who, "script begin", file, "");
      return ok({ digest: digest(text(body.text)) });
    },
  ],
  ["POST", "/api/scripts/*", "viewer", (_, { body }, { rest }) => ok({ diagnostics: script(rest!, text(body.text)) })],
  [
    "GET",
    "/api/scripts/*",
    "viewer",
    (world, _, { rest }) => {
      const found = world.scripts[rest!];
      return found === undefined
        ? no(404, `no node has a script "${rest}"`)
        : ok({ file: rest, text: found, digest: digest(found) });
    },
  ],
  [
    "PUT",
    "/api/scripts/*",
    "operator",
    (world, { body }, { rest }, who) => {
      if (body.based_on !== digest(world.scripts[rest!] ?? "")) return no(409, "the script was changed meanwhile");
      const mistakes = script(rest!, text(body.text))
        .filter((each) => each.severity === "error")
        .map((each) => each.text);
      if (mistakes.length > 0) return ok({ answer: "mistakes", changed: [], mistakes });
      world.scripts[rest!] = text(body.text);
      note(world, who, "script save", rest!, text(body.remark));
      return ok({ answer: "active", changed: [rest], mistakes: [] }, "flow");
    },
  ],
];
