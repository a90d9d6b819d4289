/** Sessions, users and tokens. */
import type { Role, Session } from "../../src/api/types.ts";
import { type Answer, type Asked, type Route, at, digest, no, ok, text } from "./answering.ts";
import type { World } from "./world.ts";

function session(world: World, name: string): { body: Session; cookie: string } {
  const number = world.sessions.size + 1;
  const cookie = `session-${number}`;
  world.sessions.set(cookie, { name, csrf: `csrf-${number}` });
  return { body: held(world, cookie), cookie };
}

export function held(world: World, cookie: string): Session {
  const { name, csrf } = world.sessions.get(cookie)!;
  const role = world.people.find((each) => each.name === name)!.role;
  return { name, role, csrf, until: "2026-12-31T00:00:00Z" };
}

export function login(world: World, { body }: Asked): Answer {
  const person = world.people.find((each) => each.name === body.name && each.password === body.password);
  return person === undefined
    ? no(401, "the name or the password is not right")
    : { status: 200, ...session(world, person.name) };
}

const USED = no(401, "this link was used or is too old", "an administrator can make a new one");

const isLinkOf = (body: Asked["body"]) => (person: World["people"][number]) =>
  person.link !== null && person.link === body.link;

export function lookAtLink(world: World, { body }: Asked): Answer {
  const person = world.people.find(isLinkOf(body));
  return person === undefined ? USED : ok({ name: person.name });
}

export function welcome(world: World, { body }: Asked): Answer {
  const person = world.people.find(isLinkOf(body));
  if (person === undefined) return USED;
  Object.assign(person, { link: null, invited: false, password: body.password });
  return { status: 200, ...session(world, person.name) };
}

export const PEOPLE: Route[] = [
  ["GET", "/api/session", "viewer", (world, asked) => ok(held(world, asked.cookie!))],
  [
    "PUT",
    "/api/password",
    "viewer",
    (world, { body }, _, who) => {
      const person = world.people.find((each) => each.name === who)!;
      if (person.password !== body.old) return no(401, "the old password is not right");
      person.password = text(body.new);
      return ok();
    },
  ],
  [
    "GET",
    "/api/people",
    "administrator",
    (world) => ok({ people: world.people.map(({ password: _, link: __, ...person }) => person) }),
  ],
  [
    "POST",
    "/api/people",
    "administrator",
    (world, { body }) => {
      const name = text(body.name);
      if (world.people.some((each) => each.name === name)) return no(409, `there is somebody named "${name}" already`);
      world.people.push({
        name,
        role: body.role as Role,
        since: at(world),
        last_login: null,
        invited: true,
        sessions: 0,
        password: null,
        link: `invited-${name}`,
      });
      return ok({ link: `http://127.0.0.1:8090/welcome#invited-${name}` });
    },
  ],
  [
    "PUT",
    "/api/people/:name",
    "administrator",
    (world, { body }, { name }) => {
      const person = world.people.find((each) => each.name === name);
      if (person !== undefined) person.role = body.role as Role;
      return ok();
    },
  ],
  [
    "DELETE",
    "/api/people/:name",
    "administrator",
    (world, _, { name }) => {
      world.people = world.people.filter((each) => each.name !== name);
      return ok();
    },
  ],
  [
    "POST",
    "/api/people/:name/link",
    "administrator",
    (world, _, { name }) => {
      world.people.find((each) => each.name === name)!.link = `again-${name}`;
      return ok({ link: `http://127.0.0.1:8090/welcome#again-${name}` });
    },
  ],
  ["GET", "/api/tokens", "administrator", (world) => ok({ tokens: world.tokens })],
  [
    "POST",
    "/api/tokens",
    "administrator",
    (world, { body }) => {
      const name = text(body.name);
      if (world.tokens.some((each) => each.name === name)) return no(409, `there is a "${name}" already`);
      const id = world.tokens.length + 1;
      const days = typeof body.days === "number" ? body.days : 90;
      const until = new Date(world.now() + days * 86_400_000).toISOString().replace(/\.\d+Z/, "Z");
      const role = body.role as Role;
      world.tokens.push({ id, name: text(body.name), role, since: at(world), last_used: null, until, expired: false });
      return ok({ id, token: `tg_${digest(text(body.name))}_shown_once`, until });
    },
  ],
  [
    "DELETE",
    "/api/tokens/:id",
    "administrator",
    (world, _, { id }) => {
      world.tokens = world.tokens.filter((each) => String(each.id) !== id);
      return ok();
    },
  ],
];
