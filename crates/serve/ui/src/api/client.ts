/** Requests to the gateway. A request returns the answer, or throws a `Refusal` with a sentence for the user. */

/** After this time without an answer, the gateway counts as unreachable. */
const ANSWER_MS_MAX = 30_000;

/** The limit for requests that retry thousands of records or read the whole journal. */
const LONG_ANSWER_MS_MAX = 900_000;

export const SESSION = "/api/session";

export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly hint: string | null = null,
    /** The kind of error, for searches in the documentation. Null if the error is not from the gateway. */
    readonly code: string | null = null,
  ) {
    super(message);
  }
}

export type Query = { [key: string]: string | number | boolean | null | undefined };

/** What a request sends, and how long it may take. */
export interface Sent {
  body?: unknown;
  /** The body as JSON text, for numbers that JavaScript cannot represent. */
  json?: string;
  /** Whether the answer may take minutes. */
  isLong?: boolean;
}

let csrf: string | null = null;
let whenLoggedOut: () => void = () => {};

/** Sets the session's CSRF token, which each request that changes something sends. */
export function setToken(token: string | null): void {
  csrf = token;
}

/** Sets the function to call when a request fails with 401: the session may be over. */
export function onLoggedOut(callback: () => void): void {
  whenLoggedOut = callback;
}

/** Removes the empty values: an empty field is no condition. */
export const said = <T extends Query>(query: T): { [K in keyof T]?: T[K] } =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== "")) as Partial<T>;

export function address(path: string, query: Query = {}): string {
  const words = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`);
  return words.length === 0 ? path : `${path}?${words.join("&")}`;
}

/** Sends a request, and returns the text of the answer. `ask.ts` checks what is sent against the API. */
export async function request(method: string, path: string, sent: Sent = {}): Promise<string> {
  const response = await send(method, path, sent);
  const text = await response.text().catch(() => "");
  if (response.ok) return text;
  // A request for the session reports the 401 to its caller. After any other request, the session is checked.
  if (response.status === 401 && path.startsWith("/api/") && path !== SESSION) whenLoggedOut();
  throw refusal(response, text);
}

async function send(method: string, path: string, { body, json, isLong = false }: Sent): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json" };
  const text = json ?? (body === undefined ? undefined : JSON.stringify(body));
  if (text !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET" && csrf !== null) headers["X-CSRF-Token"] = csrf;
  try {
    return await fetch(path, {
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

/** Makes a `Refusal` of an error answer. The gateway sends a sentence; a proxy in between may not. */
export function refusal(response: { status: number; headers: Headers }, text: string): Refusal {
  const said = parsedOrNothing(text) as { error?: unknown; code?: unknown } | null | undefined;
  if (typeof said?.error === "string") {
    const code = typeof said.code === "string" ? said.code : null;
    return new Refusal(response.status, sentence(said.error), null, code);
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
  401: "Not logged in.",
  403: "Your role does not allow that.",
  404: "There is no such thing; it may have been removed meanwhile.",
  409: "It was changed by another user meanwhile; look at it again.",
  413: "That is larger than the gateway takes.",
  503: "The gateway is stopping or starting.",
};

/** Begins a text with a capital and ends it with a full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const capital = /^[a-z]+[ ,]/.test(trimmed) ? trimmed.charAt(0).toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?:"”]$/.test(capital) ? capital : `${capital}.`;
}

export function parsed(text: string): unknown {
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
