/** What the fake gateway answers, by method and path. */
import type { Edit, Role, Session, SuspenseFilter, Version } from "../../src/api/types.ts";
import { match } from "../../src/router/match.ts";
import { Mistake, edited, graphOf, look } from "./flow-file.ts";
import { KINDS } from "./kinds.ts";
import { type World, audit, history, sequences } from "./world.ts";

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  cookie: string | null;
  csrf: string | null;
}

export interface Answer {
  status: number;
  body?: unknown;
  /** Text that is JSON already. */
  json?: string;
  cookie?: string;
  changed?: string;
}

const ok = (body: unknown = undefined, changed?: string): Answer => ({
  status: body === undefined ? 204 : 200,
  body,
  ...(changed === undefined ? {} : { changed }),
});
const no = (status: number, error: string, hint?: string): Answer => ({ status, body: { error, hint } });

type Route = (world: World, asked: Asked, parts: Record<string, string>, who: string) => Answer;

const RANK: Record<Role, number> = { viewer: 0, operator: 1, administrator: 2 };

export function answer(world: World, asked: Asked): Answer {
  if (asked.path === "/login") return login(world, asked);
  if (asked.path === "/welcome" && asked.method === "POST") return welcome(world, asked);
  const held = asked.cookie === null ? undefined : world.sessions.get(asked.cookie);
  if (asked.path === "/logout") {
    if (asked.cookie !== null) world.sessions.delete(asked.cookie);
    return ok();
  }
  if (held === undefined) return no(401, "nobody is logged in");
  if (asked.method !== "GET" && asked.csrf !== held.csrf) return no(403, "the request has not the session's token");
  const person = world.people.find((each) => each.name === held.name)!;
  for (const [method, pattern, needs, route] of ROUTES) {
    const parts = method === asked.method ? match(pattern, asked.path) : null;
    if (parts === null) continue;
    if (RANK[person.role] < RANK[needs]) return no(403, `a ${person.role} may not do that`);
    try {
      return route(world, asked, parts, person.name);
    } catch (error) {
      if (error instanceof Mistake) return no(400, error.message);
      throw error;
    }
  }
  return no(404, "there is no such path");
}

function session(world: World, name: string): { body: Session; cookie: string } {
  const number = world.sessions.size + 1;
  const cookie = `session-${number}`;
  world.sessions.set(cookie, { name, csrf: `csrf-${number}` });
  return { body: held(world, cookie), cookie };
}

function held(world: World, cookie: string): Session {
  const { name, csrf } = world.sessions.get(cookie)!;
  const role = world.people.find((each) => each.name === name)!.role;
  return { name, role, csrf, until: "2026-12-31T00:00:00Z" };
}

function login(world: World, { body }: Asked): Answer {
  const person = world.people.find((each) => each.name === body.name && each.password === body.password);
  return person === undefined ? no(401, "the name or the password is not right") : { status: 200, ...session(world, person.name) };
}

function welcome(world: World, { body }: Asked): Answer {
  const person = world.people.find((each) => each.link !== null && each.link === body.link);
  if (person === undefined) return no(401, "this link was used or is too old", "an administrator can make a new one");
  Object.assign(person, { link: null, invited: false, password: body.password });
  return { status: 200, ...session(world, person.name) };
}

function note(world: World, who: string, action: string, subject: string, reason: string): void {
  const id = (world.trail[0]?.id ?? 0) + 1;
  world.trail.unshift({ id, at: at(world), who, action, subject, reason, before: null, after: null });
}

const at = (world: World) => new Date(world.now()).toISOString().replace(/\.\d+Z/, "Z");
const text = (value: unknown) => (typeof value === "string" ? value : "");
const digest = (of: string) => [...of].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7).toString(16);
const without = ({ text: _, ...version }: World["versions"][number]): Version => version;
const mistakesOf = (flow: string) => look(flow).diagnostics.filter((each) => each.severity === "error").map((each) => each.text);

function page<T>(query: URLSearchParams, rows: T[], number: (row: T) => number): { rows: T[]; more: boolean } {
  const before = Number(query.get("before") ?? Infinity);
  const limit = Number(query.get("limit") ?? 50);
  const rest = rows.filter((row) => number(row) < before);
  return { rows: rest.slice(0, limit), more: rest.length > limit };
}

function fits(record: World["suspense"][number], filter: SuspenseFilter): boolean {
  return (["network_element", "file", "node", "reason", "state"] as const).every(
    (key) => filter[key] === undefined || record[key] === filter[key],
  );
}

const filterOf = (query: URLSearchParams) =>
  Object.fromEntries(["network_element", "file", "node", "reason", "state"].flatMap((key) => (query.has(key) ? [[key, query.get(key)!]] : [])));

function chosen(world: World, body: Record<string, unknown>): World["suspense"] {
  const ids = body.ids as number[] | undefined;
  const filter = (body.filter ?? {}) as SuspenseFilter;
  return world.suspense.filter((each) => each.state === "open" && (ids === undefined ? fits(each, filter) : ids.includes(each.id)));
}

function activated(world: World, version: number, who: string): Answer {
  const found = world.versions.find((each) => each.version === version);
  if (found === undefined) return no(404, `there is no version ${version}`);
  const mistakes = mistakesOf(found.text);
  if (mistakes.length > 0) return ok({ answer: "mistakes", changed: [], mistakes });
  for (const each of world.versions) each.active = each === found;
  found.activated.push({ at: at(world), who });
  const changed = found.text === world.text ? [] : ["flow.toml"];
  world.text = found.text;
  world.running = graphOf(found.text);
  note(world, who, "flow activate", `version ${version}`, found.remark);
  return ok({ answer: "active", changed, mistakes: [] }, "flow");
}

const ROUTES: [string, string, Role, Route][] = [
  ["GET", "/api/session", "viewer", (world, asked) => ok(held(world, asked.cookie!))],
  ["PUT", "/api/password", "viewer", (world, { body }, _, who) => {
    const person = world.people.find((each) => each.name === who)!;
    if (person.password !== body.old) return no(403, "the old password is not right");
    person.password = text(body.new);
    return ok();
  }],
  ["GET", "/api/people", "administrator", (world) => ok({ people: world.people.map(({ password: _, link: __, ...person }) => person) })],
  ["POST", "/api/people", "administrator", (world, { body }) => {
    const name = text(body.name);
    if (world.people.some((each) => each.name === name)) return no(409, `there is somebody named "${name}" already`);
    world.people.push({ name, role: body.role as Role, since: at(world), last_login: null, invited: true, password: null, link: `invited-${name}` });
    return ok({ link: `http://127.0.0.1:8090/welcome#invited-${name}` });
  }],
  ["PUT", "/api/people/:name", "administrator", (world, { body }, { name }) => {
    const person = world.people.find((each) => each.name === name);
    if (person !== undefined) person.role = body.role as Role;
    return ok();
  }],
  ["DELETE", "/api/people/:name", "administrator", (world, _, { name }) => {
    world.people = world.people.filter((each) => each.name !== name);
    return ok();
  }],
  ["POST", "/api/people/:name/link", "administrator", (world, _, { name }) => {
    world.people.find((each) => each.name === name)!.link = `again-${name}`;
    return ok({ link: `http://127.0.0.1:8090/welcome#again-${name}` });
  }],
  ["GET", "/api/tokens", "administrator", (world) => ok({ tokens: world.tokens })],
  ["POST", "/api/tokens", "administrator", (world, { body }) => {
    const id = world.tokens.length + 1;
    world.tokens.push({ id, name: text(body.name), role: body.role as Role, since: at(world), last_used: null });
    return ok({ id, token: `tg_${digest(text(body.name))}_shown_once` });
  }],
  ["DELETE", "/api/tokens/:id", "administrator", (world, _, { id }) => {
    world.tokens = world.tokens.filter((each) => String(each.id) !== id);
    return ok();
  }],

  ["GET", "/api/flow", "viewer", (world) => ok({ text: world.text, digest: digest(world.text), ...look(world.text), name: "msc-billing", kinds: KINDS })],
  ["POST", "/api/flow/look", "viewer", (_, { body }) => ok(look(text(body.text)))],
  ["POST", "/api/flow/edit", "operator", (_, { body }) => {
    const next = edited(text(body.text), body.edits as Edit[]);
    return ok({ text: next, ...look(next) });
  }],
  ["POST", "/api/flow/versions", "operator", (world, { body }, _, who) => {
    const version = (world.versions.at(-1)?.version ?? 0) + 1;
    world.versions.push({ version, at: at(world), who, remark: text(body.remark), active: false, activated: [], text: text(body.text) });
    note(world, who, "flow save", `version ${version}`, text(body.remark));
    return ok({ version }, "versions");
  }],
  ["GET", "/api/flow/versions", "viewer", (world, { query }) => {
    const { rows, more } = page(query, [...world.versions].reverse(), (each) => each.version);
    return ok({ versions: rows.map(without), more });
  }],
  ["GET", "/api/flow/versions/:version", "viewer", (world, _, { version }) => {
    const found = world.versions.find((each) => String(each.version) === version);
    if (found === undefined) return no(404, `there is no version ${version}`);
    return ok({ version: found.version, at: found.at, who: found.who, remark: found.remark, text: found.text, files: [] });
  }],
  ["POST", "/api/flow/versions/:version/activate", "operator", (world, { body }, { version }, who) =>
    body.based_on === digest(world.text) ? activated(world, Number(version), who) : no(409, "the flow file was changed meanwhile")],

  ["GET", "/api/scripts", "viewer", (world) => ok({
    scripts: Object.entries(world.scripts).map(([file, script]) => ({
      file, digest: digest(script), nodes: world.running.nodes.filter((node) => node.script === file).map((node) => node.name),
    })),
  })],
  ["POST", "/api/scripts/*", "viewer", (_, { body }, { rest }) => ok({ diagnostics: script(rest!.replace(/\/look$/, ""), text(body.text)) })],
  ["GET", "/api/scripts/*", "viewer", (world, _, { rest }) => {
    const found = world.scripts[rest!];
    return found === undefined ? no(404, `no node has a script "${rest}"`) : ok({ file: rest, text: found, digest: digest(found) });
  }],
  ["PUT", "/api/scripts/*", "operator", (world, { body }, { rest }, who) => {
    if (body.based_on !== digest(world.scripts[rest!] ?? "")) return no(409, "the script was changed meanwhile");
    const mistakes = script(rest!, text(body.text)).filter((each) => each.severity === "error").map((each) => each.text);
    if (mistakes.length > 0) return ok({ answer: "mistakes", changed: [], mistakes });
    world.scripts[rest!] = text(body.text);
    note(world, who, "script save", rest!, text(body.remark));
    return ok({ answer: "active", changed: [rest], mistakes: [] }, "flow");
  }],

  ["GET", "/api/history", "viewer", (world, { query }) => ok(history(world, Number(query.get("minutes") ?? 60)))],
  ["GET", "/api/alarms", "viewer", (world, { query }) => ok({ alarms: world.alarms.filter((each) => query.get("all") === "true" || each.cleared === null) })],
  ["POST", "/api/alarms/acknowledge", "operator", (world, { body }, _, who) => {
    const numbers = body.numbers as number[];
    for (const alarm of world.alarms) {
      if (numbers.includes(alarm.id)) alarm.acknowledged = body.acknowledged === true ? { who, at: at(world), remark: text(body.remark) } : null;
    }
    note(world, who, "alarms acknowledge", numbers.join(", "), text(body.remark));
    return ok({ changed: numbers.length }, "alarms");
  }],

  ["GET", "/api/suspense", "viewer", (world, { query }) => {
    const { rows, more } = page(query, world.suspense.filter((each) => fits(each, filterOf(query))).sort((a, b) => b.id - a.id), (each) => each.id);
    return ok({ records: rows.map(({ json: _, ...record }) => record), more });
  }],
  ["GET", "/api/suspense/alike", "viewer", (world, { query }) => {
    const groups = new Map<string, { records: number; network_element: string; node: string; reason: string; first: number }>();
    for (const { id, network_element, node, reason } of world.suspense.filter((each) => fits(each, filterOf(query)))) {
      const key = [network_element, node, reason].join("\n");
      const group = groups.get(key) ?? { records: 0, network_element, node, reason, first: id };
      group.records += 1;
      groups.set(key, group);
    }
    return ok({ groups: [...groups.values()].sort((a, b) => b.records - a.records) });
  }],
  ["POST", "/api/suspense/retry", "operator", (world, { body }) => {
    const records = chosen(world, body);
    const mended = records.filter((each) => each.edited || body.filter !== undefined);
    for (const each of mended) each.state = "retried";
    for (const each of records) each.retries += 1;
    return ok({ asked: records.length, records: records.length, delivered: mended.length, filtered: 0, held: 0, suspended: records.length - mended.length, duplicate: 0, waiting: 0 });
  }],
  ["POST", "/api/suspense/discard", "operator", (world, { body }, _, who) => {
    const records = chosen(world, body);
    for (const each of records) each.state = "discarded";
    note(world, who, "suspense discard", `${records.length} records`, text(body.because));
    return ok({ records: records.length });
  }],
  ["GET", "/api/suspense/:id", "viewer", (world, _, { id }) => {
    const found = world.suspense.find((each) => String(each.id) === id);
    if (found === undefined) return no(404, `there is no record ${id} in suspense`);
    const { json, ...record } = found;
    const rest = {
      record,
      octets: "a081f2800102810824001700000010f08206917010325476830791701032547684".repeat(4),
      came: found.edited ? "a081f280" : null,
      problem: json === null ? "the length at octet 14 goes beyond the record" : null,
      history: found.retries > 0 ? [{ at: found.since, who: "otto", action: "retry", because: "", outcome: "suspended", reason: found.reason }] : [],
    };
    return { status: 200, json: JSON.stringify(rest).replace(/^\{/, `{"json":${json ?? "null"},`) };
  }],
  ["PUT", "/api/suspense/:id", "operator", (world, { body }, { id }, who) => {
    const found = world.suspense.find((each) => String(each.id) === id)!;
    found.json = text(body.raw);
    found.edited = true;
    note(world, who, "suspense edit", `record ${id}`, text(body.because));
    return ok({});
  }],

  ["GET", "/api/files", "viewer", (world, { query }) => {
    const name = query.get("name");
    const element = query.get("network_element");
    const { rows, more } = page(query, world.files.filter((each) => (name === null || each.file.includes(name)) && (element === null || each.network_element === element)), (each) => each.job);
    return ok({ files: rows, more });
  }],
  ["GET", "/api/deliveries", "viewer", (world, { query }) => ok({
    deliveries: world.deliveries.filter((each) =>
      (query.get("state") ?? each.state) === each.state && (query.get("post_processing_system") ?? each.post_processing_system) === each.post_processing_system),
  })],
  ["POST", "/api/deliveries/retry", "operator", (world, { body }) => {
    const ids = body.ids as number[];
    for (const each of world.deliveries) if (ids.includes(each.id)) Object.assign(each, { state: "waiting", failures: 0, problem: null });
    return ok({ deliveries: ids.length });
  }],
  ["GET", "/api/audit", "viewer", (world, { query }) => ok(audit(world, query.get("network_element")))],
  ["GET", "/api/sequences", "viewer", (world) => ok(sequences(world))],
  ["GET", "/api/trail", "viewer", (world, { query }) => {
    const { rows, more } = page(query, world.trail, (each) => each.id);
    return ok({ entries: rows, more });
  }],
  ["GET", "/api/trace", "viewer", (world, { query }) => {
    const file = world.files.find((each) => each.file === query.get("file")) ?? world.files[0];
    if (file === undefined || (query.has("file") && file.file !== query.get("file"))) return no(404, `no file "${query.get("file")}" was collected, as far as the journal knows`);
    const record = Number(query.get("record") ?? 1);
    return ok({
      traced: [{
        network_element: file.network_element, file: file.file, record, offset: record * 214, done: file.done, job: file.job, retried: false,
        way: [{ passed: { node: "isBillable", stream: "true" } }, { passed: { node: "isRoaming", stream: "false" } }, { passed: { node: "home-v5", stream: "" } }, { written: { system: "home-billing" } }],
        outputs: [{ post_processing_system: "home-billing", file: `out/home/${file.network_element}-${file.file}`, record: 19, offset: 3_402, octets: 178 }],
        suspense: [], group: [], later: [],
      }],
    });
  }],
];

function script(file: string, of: string) {
  return of.split("\n").flatMap((line, place) => {
    const column = line.indexOf("mistake");
    if (column < 0) return [];
    const message = 'there is no variable "mistake"';
    return [{ severity: "error" as const, file, line: place + 1, column: column + 1, message, hint: "declare it first", node: null, text: `${file}:${place + 1}:${column + 1}: ${message}` }];
  });
}
