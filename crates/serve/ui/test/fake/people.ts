/** Sessions, users and tokens. */
import type { Session } from "../../src/api/types.ts";
import { DONE, type Answer, type FakeRoute, at, digest, no, ok, route } from "./answering.ts";
import type { World } from "./world.ts";

function session(world: World, name: string): Answer<Session> {
  const number = world.sessions.size + 1;
  const cookie = `session-${number}`;
  world.sessions.set(cookie, { name, csrf: `csrf-${number}` });
  return { ...ok<Session>(held(world, cookie)), cookie };
}

function held(world: World, cookie: string): Session {
  const { name, csrf } = world.sessions.get(cookie)!;
  const role = world.people.find((each) => each.name === name)!.role;
  return { name, role, csrf, until: "2026-12-31T00:00:00Z", flow: "msc-billing" };
}

const USED = no(401, "this link was used or is too old");

const isOf = (link: string) => (person: World["people"][number]) => person.link !== null && person.link === link;

/** The routes that need no session. */
export const DOORS: FakeRoute[] = [
  route("POST /login", "viewer", (world, { body }) => {
    const person = world.people.find((each) => each.name === body.name && each.password === body.password);
    return person === undefined ? no(401, "the name or the password is not right") : session(world, person.name);
  }),
  route("POST /welcome/look", "viewer", (world, { body }) => {
    const person = world.people.find(isOf(body.link));
    return person === undefined ? USED : ok({ name: person.name });
  }),
  route("POST /welcome", "viewer", (world, { body }) => {
    const person = world.people.find(isOf(body.link));
    if (person === undefined) return USED;
    Object.assign(person, { link: null, invited: false, password: body.password });
    return session(world, person.name);
  }),
  route("POST /logout", "viewer", (world, { cookie }) => {
    if (cookie !== null) world.sessions.delete(cookie);
    return DONE;
  }),
];

export const PEOPLE: FakeRoute[] = [
  route("GET /api/session", "viewer", (world, asked) => ok(held(world, asked.cookie!))),
  route("PUT /api/password", "viewer", (world, { body }, _, who) => {
    const person = world.people.find((each) => each.name === who)!;
    if (person.password !== body.old) return no(401, "the old password is not right");
    person.password = body.new;
    return DONE;
  }),
  route("GET /api/people", "administrator", (world) =>
    ok({ people: world.people.map(({ password: _, link: __, ...person }) => person) }),
  ),
  route("POST /api/people", "administrator", (world, { body }) => {
    const name = body.name;
    if (world.people.some((each) => each.name === name)) return no(409, `there is somebody named "${name}" already`);
    world.people.push({
      name,
      role: body.role,
      since: at(world),
      last_login: null,
      invited: true,
      sessions: 0,
      password: null,
      link: `invited-${name}`,
    });
    return ok({ link: `http://127.0.0.1:8090/welcome#invited-${name}` });
  }),
  route("PUT /api/people/{name}", "administrator", (world, { body }, { name }) => {
    const person = world.people.find((each) => each.name === name);
    if (person !== undefined) person.role = body.role;
    return DONE;
  }),
  route("DELETE /api/people/{name}", "administrator", (world, _, { name }) => {
    world.people = world.people.filter((each) => each.name !== name);
    return DONE;
  }),
  route("POST /api/people/{name}/link", "administrator", (world, _, { name }) => {
    world.people.find((each) => each.name === name)!.link = `again-${name}`;
    return ok({ link: `http://127.0.0.1:8090/welcome#again-${name}` });
  }),
  route("GET /api/tokens", "administrator", (world) => ok({ tokens: world.tokens })),
  route("POST /api/tokens", "administrator", (world, { body }) => {
    const name = body.name;
    if (world.tokens.some((each) => each.name === name)) return no(409, `there is a "${name}" already`);
    const id = world.tokens.length + 1;
    const days = body.days ?? 90;
    const until = new Date(world.now() + days * 86_400_000).toISOString().replace(/\.\d+Z/, "Z");
    const role = body.role;
    world.tokens.push({ id, name: body.name, role, since: at(world), last_used: null, until, expired: false });
    return ok({ id, token: `tg_${digest(body.name)}_shown_once`, until });
  }),
  route("DELETE /api/tokens/{id}", "administrator", (world, _, { id }) => {
    world.tokens = world.tokens.filter((each) => String(each.id) !== id);
    return DONE;
  }),
];
