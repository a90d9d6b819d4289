/** One way to ask the gateway. Whoever asks gets the answer, or a `Refusal` whose message is a sentence for people. */

/** Longest that an answer may take: then the gateway is taken to be out of reach. */
const ANSWER_MS_MAX = 30_000;

/** What puts thousands of records through again, or reads all of a journal, may take so long. */
const LONG_ANSWER_MS_MAX = 900_000;

export const SESSION = "/api/session";

export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly hint: string | null = null,
  ) {
    super(message);
  }
}

export type Query = { [key: string]: string | number | boolean | null | undefined };

interface Asked {
  query?: Query;
  body?: unknown;
  /** The body as JSON text already, where its numbers are larger than JavaScript's. */
  json?: string;
  /** Whether the answer may take minutes. */
  isLong?: boolean;
}

let csrf: string | null = null;
let whenLoggedOut: () => void = () => {};

/** The session's token, which goes with each request that changes something. */
export function setToken(token: string | null): void {
  csrf = token;
}

/** Called when the gateway refuses somebody who may not be logged in any more. */
export function onLoggedOut(callback: () => void): void {
  whenLoggedOut = callback;
}

/** Without what is left empty: a field that nobody filled in asks for nothing. */
export const said = (query: Query): Query =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));

export function address(path: string, query: Query = {}): string {
  const words = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`);
  return words.length === 0 ? path : `${path}?${words.join("&")}`;
}

export async function ask<T>(method: string, path: string, asked: Asked = {}): Promise<T> {
  const text = await askText(method, path, asked);
  return (text === "" ? undefined : parsed(text)) as T;
}

/** The answer's text, for whom JavaScript's numbers are too small. */
export async function askText(method: string, path: string, asked: Asked = {}): Promise<string> {
  const response = await send(method, path, asked);
  const text = await response.text().catch(() => "");
  if (response.ok) return text;
  // Who asks for the session finds out by the answer; for all others somebody has to ask for it.
  if (response.status === 401 && path.startsWith("/api/") && path !== SESSION) whenLoggedOut();
  throw refusal(response, text);
}

async function send(method: string, path: string, { query, body, json, isLong = false }: Asked): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json" };
  const text = json ?? (body === undefined ? undefined : JSON.stringify(body));
  if (text !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET" && csrf !== null) headers["X-CSRF-Token"] = csrf;
  try {
    return await fetch(address(path, query), {
      method,
      headers,
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(isLong ? LONG_ANSWER_MS_MAX : ANSWER_MS_MAX),
      ...(text === undefined ? {} : { body: text }),
    });
  } catch {
    throw new Refusal(0, "The gateway does not answer.", "It may be starting again; try once more in a moment.");
  }
}

/** What an answer that is none says. The gateway says it in a sentence; a proxy between may not. */
export function refusal(response: { status: number; headers: Headers }, text: string): Refusal {
  const said = parsedOrNothing(text) as { error?: unknown; hint?: unknown } | undefined;
  if (typeof said?.error === "string") {
    return new Refusal(response.status, sentence(said.error), typeof said.hint === "string" ? said.hint : null);
  }
  const wait = response.headers.get("Retry-After");
  if (response.status === 429) {
    const when = wait === null ? "later" : `in ${wait} seconds`;
    return new Refusal(429, `That was tried too often; try again ${when}.`);
  }
  return new Refusal(
    response.status,
    STATUS[response.status] ?? `The gateway answered with status ${response.status}.`,
  );
}

const STATUS: Record<number, string> = {
  401: "Nobody is logged in.",
  403: "Your role does not allow that.",
  404: "There is no such thing; it may have been removed meanwhile.",
  409: "It was changed by somebody else meanwhile; look at it again.",
  413: "That is larger than the gateway takes.",
  503: "The gateway is stopping or starting.",
};

/** A sentence begins with a capital and ends with a full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const capital = /^[a-z]+[ ,]/.test(trimmed) ? trimmed.charAt(0).toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?:"”]$/.test(capital) ? capital : `${capital}.`;
}

function parsed(text: string): unknown {
  const value = parsedOrNothing(text);
  if (value === undefined)
    throw new Refusal(0, "The gateway's answer cannot be read.", "Is something between it and this browser?");
  return value;
}

function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
