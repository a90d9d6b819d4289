/** Requests with the types of the API: the compiler checks the path and its values, the query, the body, the answer. */
import { type Query, type Sent, address, parsed, request } from "./client";
import { type Wide, parse, plain } from "./exact-json";
import type { paths } from "./schema";

type Method = "get" | "post" | "put" | "delete";

/** An operation of the API: `GET /api/alarms`. */
export type Route = {
  [P in keyof paths]: { [M in Method]: paths[P][M] extends object ? `${Uppercase<M>} ${P}` : never }[Method];
}[keyof paths];

type Operation<R extends Route> = R extends `${infer M} ${infer P extends keyof paths}`
  ? paths[P][Lowercase<M> & Method]
  : never;

/** The values for the names in braces in the path. */
export type PathOf<R extends Route> = Operation<R> extends { parameters: { path: infer Values } } ? Values : never;
export type QueryOf<R extends Route> =
  Operation<R> extends { parameters: { query?: infer Query extends object } } ? Loose<Query> : never;
export type BodyOf<R extends Route> =
  Operation<R> extends { requestBody: { content: { "application/json": infer Body } } } ? Body : never;
export type AnswerOf<R extends Route> =
  Operation<R> extends { responses: { 200: { content: { "application/json": infer Answer } } } } ? Answer : void;

/** A parameter that may be left out may as well be undefined or null: it is then not sent. */
type Loose<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined | null : T[K] };

/**
 * A name may be given as its segments: a script's name has folders, which are segments of the path. A number may be
 * beyond what JavaScript's own can represent.
 */
type Segments<T> = { [K in keyof T]: T[K] extends string ? string | readonly string[] : T[K] | bigint };

type Given<R extends Route> = Pick<Sent, "isLong"> &
  ([PathOf<R>] extends [never] ? unknown : { path: Segments<PathOf<R>> }) &
  ([QueryOf<R>] extends [never] ? unknown : Optional<"query", QueryOf<R>>) &
  // The body as text has numbers that JavaScript cannot represent.
  ([BodyOf<R>] extends [never] ? unknown : { body: BodyOf<R> } | { json: string });

/** A member that may be left out if the value may be empty. */
type Optional<K extends string, T> = object extends T ? { [P in K]?: T } : { [P in K]: T };

/** What a request needs besides its route. */
export type Asked<R extends Route> = object extends Given<R> ? [asked?: Given<R>] : [asked: Given<R>];

export async function ask<R extends Route>(route: R, ...asked: Asked<R>): Promise<AnswerOf<R>> {
  const text = await askText(route, ...asked);
  return (text === "" ? undefined : parsed(text)) as AnswerOf<R>;
}

/** Returns an answer with integers of any size. */
export async function askWide<R extends Route>(route: R, ...asked: Asked<R>): Promise<Wide<AnswerOf<R>>> {
  return plain(parse(await askText(route, ...asked))) as Wide<AnswerOf<R>>;
}

/** Returns the text of an answer. */
export function askText<R extends Route>(route: R, ...asked: Asked<R>): Promise<string> {
  const [method, template] = route.split(" ") as [string, string];
  const { path = {}, query = {}, ...sent }: Sent & { path?: Values; query?: Query } = asked[0] ?? {};
  return request(method, address(filled(template, path), query), sent);
}

type Values = { [name: string]: string | number | bigint | readonly string[] };

/** Fills in the names in braces. */
const filled = (template: string, values: Values) =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]!;
    return typeof value === "object" ? value.map(encodeURIComponent).join("/") : encodeURIComponent(String(value));
  });
