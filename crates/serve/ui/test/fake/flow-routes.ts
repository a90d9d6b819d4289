/** The flow, its versions and its scripts. */
import type { Activation, Consequences, Diagnostic, Version } from "../../src/api/types.ts";
import { type Answer, type FakeRoute, at, digest, no, note, ok, page, route } from "./answering.ts";
import { edited, graphOf, look, mistakesOf } from "./flow-file.ts";
import { KINDS } from "./kinds.ts";
import type { World } from "./world.ts";

const without = ({ text: _, files: __, ...version }: World["versions"][number]): Version => version;
/** The files that the flow names and that versions do not include. */
const LEFT_OUT = [{ name: "tables/numbering.csv", why: "it has more than 16 MiB" }];

/** Returns a digest of the files on the disk. */
const foundIn = (world: World) => digest(JSON.stringify([world.text, world.scripts]));

const textsOf = (flow: string) =>
  look(flow)
    .diagnostics.filter((each) => each.severity === "error")
    .map((each) => each.text);

const wantsSecondPerson = (world: World) => world.text.includes("second-person = true");

export function activated(world: World, version: number, who: string, because: string): Answer<Activation> {
  const found = world.versions.find((each) => each.version === version);
  if (found === undefined) return no(404, `there is no version ${version}`);
  const mistakes = textsOf(found.text);
  if (mistakes.length > 0) return ok({ answer: "mistakes", changed: [], mistakes });
  const { proposal } = found;
  if (wantsSecondPerson(world)) {
    if (proposal == null) found.proposal = { at: at(world), who, because };
    if (proposal == null || proposal.who === who)
      return ok({ answer: "proposed", changed: [], mistakes: [] }, "versions");
  }
  for (const each of world.versions) {
    each.active = each === found;
    each.proposal = null;
  }
  found.activated.push({ at: at(world), who, because });
  const changed = found.text === world.text ? [] : ["flow.toml"];
  world.text = found.text;
  for (const { name, text: script } of found.files) world.scripts[name] = script;
  world.running = graphOf(found.text);
  note(world, who, "versions activate", `version ${version}`, because);
  return ok({ answer: "active", changed, mistakes: [] }, "flow");
}

/** Returns what the text of a flow file would add and remove. Nothing waits in the fake gateway for what is removed. */
function consequencesOf(world: World, text: string, isProposal: boolean): Consequences {
  const [before, after] = [world.text, text].map((each) => graphOf(each).nodes);
  const without = (some: typeof before, others: typeof before, fits: (kind: string) => boolean) =>
    (some ?? [])
      .filter((node) => fits(node.kind) && !(others ?? []).some((each) => each.name === node.name))
      .map((node) => node.name);
  const isElement = (kind: string) => kind === "network-element";
  const isReceiver = (kind: string) => kind === "post-processing-system";
  const isNode = (kind: string) => !isElement(kind) && !isReceiver(kind);
  return {
    network_elements_added: without(after, before, isElement),
    network_elements_removed: without(before, after, isElement),
    nodes_added: without(after, before, isNode),
    nodes_removed: without(before, after, isNode).map((node) => ({ node, suspended_records: 0, waiting_groups: 0 })),
    post_processing_systems_added: without(after, before, isReceiver),
    post_processing_systems_removed: without(before, after, isReceiver).map((name) => ({
      post_processing_system: name,
      undelivered_files: 0,
      suspended_records: 0,
    })),
    needs_second_person: isProposal,
  };
}

function script(file: string, of: string): Diagnostic[] {
  return of.split("\n").flatMap((line, place) => {
    const column = line.indexOf("mistake");
    if (column < 0) return [];
    const message = 'there is no variable "mistake"';
    return [
      {
        severity: "error",
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

export const FLOW_ROUTES: FakeRoute[] = [
  route("GET /api/flow", "viewer", (world) =>
    ok({ text: world.text, digest: digest(world.text), ...look(world.text), name: "msc-billing", kinds: KINDS }),
  ),
  route("POST /api/flow/look", "viewer", (_, { body }) => ok(look(body.text))),
  route("POST /api/flow/edit", "operator", (_, { body }) => {
    const next = edited(body.text, body.edits);
    return ok({ text: next, ...look(next) });
  }),
  route("POST /api/flow/versions", "operator", (world, { body }, _, who) => {
    const version = (world.versions.at(-1)?.version ?? 0) + 1;
    world.versions.push({
      version,
      at: at(world),
      who,
      remark: body.remark ?? "",
      active: false,
      activated: [],
      proposal: null,
      text: body.text,
      files: Object.entries(world.scripts).map(([name, script]) => ({ name, text: script })),
    });
    note(world, who, "versions save", `version ${version}`, body.remark ?? "");
    return ok({ version, unchanged: false, left_out: LEFT_OUT, found: foundIn(world) }, "versions");
  }),
  route("GET /api/flow/versions", "viewer", (world, { query }) => {
    const { rows, more } = page(query, [...world.versions].reverse(), (each) => each.version);
    return ok({ versions: rows.map(without), more });
  }),
  route("GET /api/flow/versions/{version}", "viewer", (world, _, { version }) => {
    const found = world.versions.find((each) => String(each.version) === version);
    if (found === undefined) return no(404, `there is no version ${version}`);
    return ok({
      version: found.version,
      at: found.at,
      who: found.who,
      remark: found.remark,
      active: found.active,
      activated: found.activated,
      proposal: found.proposal ?? null,
      text: found.text,
      files: found.files.map(({ name, text: kept }) => {
        const now = world.scripts[name] ?? null;
        const is_other = now !== kept;
        return { name, octets: kept.length, text: kept, is_other, now: is_other ? now : null };
      }),
      left_out: LEFT_OUT,
      found: foundIn(world),
    });
  }),
  route("POST /api/flow/consequences", "viewer", (world, { body }, _, who) => {
    const version = world.versions.find((each) => each.version === body.version);
    const text = body.text ?? version?.text;
    if (text == null) return no(404, `there is no version ${body.version}`);
    const isApproved = version?.proposal != null && version.proposal.who !== who;
    return ok(consequencesOf(world, text, wantsSecondPerson(world) && !isApproved));
  }),
  route("POST /api/flow/versions/{version}/reject", "operator", (world, { body }, { version }, who) => {
    const found = world.versions.find((each) => String(each.version) === version);
    if (found?.proposal == null) return no(404, `version ${version} is not proposed for activation`);
    const proposed_by = found.proposal.who;
    found.proposal = null;
    note(world, who, "versions reject", `version ${version}, proposed by ${proposed_by}`, body.because);
    return ok({ proposed_by }, "versions");
  }),
  route("POST /api/flow/versions/{version}/activate", "operator", (world, { body }, { version }, who) =>
    (body.based_on === undefined || body.based_on === digest(world.text)) &&
    (body.found === undefined || body.found === foundIn(world))
      ? activated(world, Number(version), who, body.because)
      : no(409, "the files of the flow were changed by another user meanwhile"),
  ),

  route("GET /api/scripts", "viewer", (world) =>
    ok({
      scripts: Object.entries(world.scripts)
        .map(([file, script]) => ({
          file,
          digest: digest(script),
          nodes: world.running.nodes.filter((node) => node.script === file).map((node) => node.name),
        }))
        .filter(({ nodes }) => nodes.length > 0),
    }),
  ),
  route("POST /api/scripts", "operator", (world, { body }, _, who) => {
    const file = body.file;
    const there = world.scripts[file];
    if (there === undefined ? body.based_on != null : body.based_on !== digest(there))
      return no(409, `there is a script "${file}" already`);
    world.scripts[file] = body.text;
    note(world, who, "scripts begin", file, "");
    return ok({ digest: digest(body.text) });
  }),
  route("POST /api/scripts/{file}", "viewer", (_, { body }, { file }) => ok(mistakesOf(script(file, body.text)))),
  route("GET /api/scripts/{file}", "viewer", (world, _, { file }) => {
    const found = world.scripts[file];
    return found === undefined
      ? no(404, `no node has a script "${file}"`)
      : ok({ file, text: found, digest: digest(found) });
  }),
  route("PUT /api/scripts/{file}", "operator", (world, { body }, { file }, who) => {
    if (body.based_on !== digest(world.scripts[file] ?? "")) return no(409, "the script was changed meanwhile");
    const mistakes = script(file, body.text)
      .filter((each) => each.severity === "error")
      .map((each) => each.text);
    if (mistakes.length > 0) return ok({ answer: "mistakes", changed: [], mistakes });
    world.scripts[file] = body.text;
    note(world, who, "script save", file, body.remark ?? "");
    return ok({ answer: "active", changed: [file], mistakes: [] }, "flow");
  }),
];
