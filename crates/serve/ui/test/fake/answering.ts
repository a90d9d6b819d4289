/** Helpers that all routes share. The types of requests and answers are those of the API. */
import type { AnswerOf, BodyOf, PathOf, QueryOf, Route } from "../../src/api/ask.ts";
import type { components } from "../../src/api/schema.ts";
import type { Changed, Role } from "../../src/api/types.ts";
import type { World } from "./world.ts";

/** The parameters of a query. */
export interface Params<Name> {
  get: (name: Name) => string | null;
  has: (name: Name) => boolean;
}

export interface Asked<Body = unknown, Parameter = string> {
  method: string;
  path: string;
  query: Params<Parameter>;
  body: Body;
  /** The text of `json` in the body, whose numbers JavaScript may not represent. */
  raw: string;
  cookie: string | null;
  csrf: string | null;
}

export interface Answer<Body> {
  status: number;
  body?: Body | components["schemas"]["Problem"];
  /** JSON as text. */
  json?: string;
  cookie?: string;
  changed?: Changed["what"];
}

/** Answers with what the API gives: the type is that of the route. */
export const ok = <Body>(body: NoInfer<Body>, changed?: Changed["what"]): Answer<Body> => ({
  status: 200,
  body,
  ...(changed === undefined ? {} : { changed }),
});
export const DONE: Answer<void> = { status: 204 };

/** The codes of refusals that have no code of their own here. */
const CODES: Record<number, string> = {
  401: "login-missing",
  403: "role-insufficient",
  404: "not-found",
  409: "state-conflict",
};

export const no = (status: number, error: string, code = CODES[status] ?? "request-invalid"): Answer<never> => ({
  status,
  body: { error, code },
});

export type Answering<R extends Route> = (
  world: World,
  asked: Asked<BodyOf<R>, keyof QueryOf<R>>,
  parts: { [Name in keyof PathOf<R>]: string },
  who: string,
) => Answer<AnswerOf<R>>;

/** A route, the lowest role that may ask it, and its answer. */
export interface FakeRoute {
  route: Route;
  needs: Role;
  answer: (world: World, asked: Asked, parts: Record<string, string>, who: string) => Answer<unknown>;
}

export const route = <R extends Route>(route: R, needs: Role, answer: Answering<R>): FakeRoute => ({
  route,
  needs,
  // The interface sends what the API takes: the compiler checks its requests, too.
  answer: answer as unknown as FakeRoute["answer"],
});

export const RANK: Record<Role, number> = { viewer: 0, operator: 1, administrator: 2 };

export function note(world: World, who: string, action: string, subject: string, reason: string): void {
  const id = (world.trail[0]?.id ?? 0) + 1;
  world.trail.unshift({ id, at: at(world), who, action, subject, reason, before: null, after: null });
}

export const at = (world: World) => new Date(world.now()).toISOString().replace(/\.\d+Z/, "Z");
export const digest = (of: string) =>
  [...of].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7).toString(16);
/** Returns whether a time is in a period. */
export function isWithin(from: string | null | undefined, to: string | null | undefined, time: string): boolean {
  const at = Date.parse(time);
  return (from == null || at >= Date.parse(from)) && (to == null || at < Date.parse(to));
}

export function page<T>(
  query: Params<"before" | "limit">,
  rows: T[],
  number: (row: T) => number,
): { rows: T[]; more: boolean } {
  const before = Number(query.get("before") ?? Infinity);
  const limit = Number(query.get("limit") ?? 50);
  const rest = rows.filter((row) => number(row) < before);
  return { rows: rest.slice(0, limit), more: rest.length > limit };
}
