/** The routes of the fake gateway, by method and path. */
import { match } from "../../src/router/match.ts";
import { type Answer, type Asked, RANK, no, ok } from "./answering.ts";
import { Mistake } from "./flow-file.ts";
import { FLOW_ROUTES } from "./flow-routes.ts";
import { LANGUAGE_ROUTES } from "./language-routes.ts";
import { COUNTER_ROUTES } from "./counter-routes.ts";
import { MATCHING_ROUTES } from "./matching-routes.ts";
import { PEOPLE, login, lookAtLink, welcome } from "./people.ts";
import { REPLAY_ROUTES } from "./replay-routes.ts";
import { TARIFF_ROUTES } from "./tariff-routes.ts";
import { WORK_ROUTES } from "./work-routes.ts";
import type { World } from "./world.ts";

const ROUTES = [
  ...PEOPLE,
  ...FLOW_ROUTES,
  ...LANGUAGE_ROUTES,
  ...TARIFF_ROUTES,
  ...REPLAY_ROUTES,
  ...MATCHING_ROUTES,
  ...COUNTER_ROUTES,
  ...WORK_ROUTES,
];

export function answer(world: World, asked: Asked): Answer {
  if (asked.path === "/login") return login(world, asked);
  if (asked.path === "/welcome" && asked.method === "POST") return welcome(world, asked);
  if (asked.path === "/welcome/look") return lookAtLink(world, asked);
  const held = asked.cookie === null ? undefined : world.sessions.get(asked.cookie);
  if (asked.path === "/logout") {
    if (asked.cookie !== null) world.sessions.delete(asked.cookie);
    return ok();
  }
  if (held === undefined) return no(401, "not logged in");
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
