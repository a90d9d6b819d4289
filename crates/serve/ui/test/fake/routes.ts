/** The routes of the fake gateway, by method and path. */
import { readFileSync } from "node:fs";

import type { Route } from "../../src/api/ask.ts";
import { match } from "../../src/router/match.ts";
import { type Answer, type Asked, type FakeRoute, RANK, no } from "./answering.ts";
import { ACTION_ROUTES } from "./action-routes.ts";
import { CHARGING_ROUTES } from "./charging-routes.ts";
import { Mistake } from "./flow-file.ts";
import { FLOW_ROUTES } from "./flow-routes.ts";
import { LANGUAGE_ROUTES } from "./language-routes.ts";
import { COUNTER_ROUTES } from "./counter-routes.ts";
import { FRAUD_LIST_ROUTES } from "./fraud-list-routes.ts";
import { FRAUD_ROUTES } from "./fraud-routes.ts";
import { MATCHING_ROUTES } from "./matching-routes.ts";
import { MESSAGE_ROUTES } from "./message-routes.ts";
import { TRACE_ROUTES } from "./trace-routes.ts";
import { OFFER_ROUTES } from "./offer-routes.ts";
import { DOORS, PEOPLE } from "./people.ts";
import { PEER_ROUTES } from "./peer-routes.ts";
import { REPLAY_ROUTES } from "./replay-routes.ts";
import { RULE_FILE_ROUTES } from "./rule-file-routes.ts";
import { TARIFF_ROUTES } from "./tariff-routes.ts";
import { TRIAL_ROUTES } from "./trial-routes.ts";
import { VOUCHER_ROUTES } from "./voucher-routes.ts";
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
  ...FRAUD_ROUTES,
  ...FRAUD_LIST_ROUTES,
  ...RULE_FILE_ROUTES,
  ...ACTION_ROUTES,
  ...CHARGING_ROUTES,
  ...PEER_ROUTES,
  ...MESSAGE_ROUTES,
  ...TRACE_ROUTES,
  ...OFFER_ROUTES,
  ...TRIAL_ROUTES,
  ...VOUCHER_ROUTES,
  ...WORK_ROUTES,
];

/** The API description of the real gateway. */
const DESCRIPTION = readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8");

/** Returns the values in a path, or null if it is another one. A last `{file}` can have several segments. */
function partsOf(route: Route, { method, path }: Asked): Record<string, string> | null {
  const [wanted, template] = route.split(" ") as [string, string];
  if (method !== wanted) return null;
  const parts = match(template.replace(/\{file\}$/, "*").replaceAll(/\{(\w+)\}/g, ":$1"), path);
  return parts === null ? null : { ...parts, file: parts.rest ?? "" };
}

function first(routes: readonly FakeRoute[], asked: Asked): { found: FakeRoute; parts: Record<string, string> } | null {
  for (const found of routes) {
    const parts = partsOf(found.route, asked);
    if (parts !== null) return { found, parts };
  }
  return null;
}

export function answer(world: World, asked: Asked): Answer<unknown> {
  const door = first(DOORS, asked);
  if (door !== null) return door.found.answer(world, asked, door.parts, "");
  const held = asked.cookie === null ? undefined : world.sessions.get(asked.cookie);
  if (held === undefined) return no(401, "not logged in");
  if (asked.method !== "GET" && asked.csrf !== held.csrf) return no(403, "the request has not the session's token");
  const person = world.people.find((each) => each.name === held.name)!;
  if (asked.path === "/api/openapi.json") return { status: 200, json: DESCRIPTION };
  const place = first(ROUTES, asked);
  if (place === null) return no(404, "there is no such path");
  const { found, parts } = place;
  if (RANK[person.role] < RANK[found.needs]) return no(403, `a ${person.role} may not do that`);
  try {
    return found.answer(world, asked, parts, person.name);
  } catch (error) {
    if (error instanceof Mistake) return no(400, error.message);
    throw error;
  }
}
