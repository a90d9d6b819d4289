/** Helpers that all routes share. */
import type { Role } from "../../src/api/types.ts";
import type { World } from "./world.ts";

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
  /** JSON as text. */
  json?: string;
  cookie?: string;
  changed?: string;
}

export const ok = (body: unknown = undefined, changed?: string): Answer => ({
  status: body === undefined ? 204 : 200,
  body,
  ...(changed === undefined ? {} : { changed }),
});
export const no = (status: number, error: string, hint?: string): Answer => ({ status, body: { error, hint } });

export type Answering = (world: World, asked: Asked, parts: Record<string, string>, who: string) => Answer;

export const RANK: Record<Role, number> = { viewer: 0, operator: 1, administrator: 2 };

export function note(world: World, who: string, action: string, subject: string, reason: string): void {
  const id = (world.trail[0]?.id ?? 0) + 1;
  world.trail.unshift({ id, at: at(world), who, action, subject, reason, before: null, after: null });
}

export const at = (world: World) => new Date(world.now()).toISOString().replace(/\.\d+Z/, "Z");
export const text = (value: unknown) => (typeof value === "string" ? value : "");
export const digest = (of: string) =>
  [...of].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7).toString(16);
export function page<T>(query: URLSearchParams, rows: T[], number: (row: T) => number): { rows: T[]; more: boolean } {
  const before = Number(query.get("before") ?? Infinity);
  const limit = Number(query.get("limit") ?? 50);
  const rest = rows.filter((row) => number(row) < before);
  return { rows: rest.slice(0, limit), more: rest.length > limit };
}

/** The method, the pattern, the lowest role, and the answer. */
export type Route = readonly [string, string, Role, Answering];
