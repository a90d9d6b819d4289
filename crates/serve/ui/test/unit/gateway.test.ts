/** The client and the API description: the client has each operation of the API, and no other. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { afterEach, describe, expect, it, vi } from "vitest";

import { gateway } from "../../src/api/gateway";

/** Requests of the client that the description does not have. */
const UNDESCRIBED: Record<string, string> = {
  "GET /api/openapi.json": "it is the description",
};

/** Stands for any value in a path. Each function gets it for all its parameters. */
const ANYTHING = "{}";

interface Described {
  "x-long-running"?: true;
}

const description = JSON.parse(readFileSync("../openapi.json", "utf8")) as {
  paths: Record<string, Record<string, Described>>;
};

const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, ANYTHING)}`,
    isLong: operation["x-long-running"] === true,
  })),
);

const described = operations.map(({ name }) => name);

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join("src", name), "utf8") }));

/** The operations that take long. */
const long = operations.filter(({ isLong }) => isLong).map(({ name }) => name);

/** The long operations for which the client does not wait for minutes, and why. */
const NOT_WAITED_FOR: Record<string, string> = {
  "GET /api/trace": "a file by its name is found at once: records alone, by what is in them, are looked for long",
  "POST /api/analysis/{}": "names are completed and explained while the user types, or not at all",
  "POST /api/fraud/rule-files/{}": "the same of a file of rules",
  "POST /api/scripts/{}": "the check comes once more with the next letter",
  "POST /api/tariff-versions/check": "the same of a plan",
  "POST /api/tariffs/{}": "the same of a table",
  "PUT /api/password": "it takes long for a processor, which is a second",
};

/** Calls each function of the client and returns the requests. `patient` collects those with a long timeout. */
async function asked(patient = new Set<string>()): Promise<Map<string, string>> {
  let sent: string[] = [];
  let patience = 0;
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    patience = ms;
    return new AbortController().signal;
  });
  vi.stubGlobal("fetch", async (address: string, { method }: { method: string }) => {
    sent.push(`${method} ${decodeURIComponent(address.replace(/\?.*/, ""))}`);
    if (patience > 60_000) patient.add(sent.at(-1)!);
    return new Response("{}");
  });
  const found = new Map<string, string>();
  for (const [name, question] of Object.entries(gateway)) {
    sent = [];
    await (question as (...words: string[]) => Promise<unknown>)(ANYTHING, ANYTHING, ANYTHING, ANYTHING);
    expect(sent.length, name).toBe(1);
    found.set(name, sent[0]!);
  }
  timeout.mockRestore();
  return found;
}

/** Addresses of event streams, for which the client has no function. */
const events = sources.flatMap(({ text }) =>
  [...text.matchAll(/new EventSource\("([^"]+)"\)/g)].map(([, path]) => `GET ${path}`),
);

const without = (all: Iterable<string>, ...others: Iterable<string>[]) => {
  const known = new Set(others.flatMap((other) => [...other]));
  return [...all].filter((each) => !known.has(each)).sort();
};

describe("the interface", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("asks nothing that the API is not described with", async () => {
    const questions = [...(await asked()).values(), ...events];
    expect(without(questions, described, Object.keys(UNDESCRIBED))).toEqual([]);
    expect(without(Object.keys(UNDESCRIBED), without(questions, described))).toEqual([]);
  });

  it("asks all that the API is described with", async () => {
    const questions = [...(await asked()).values()];
    expect(without(described, questions, events)).toEqual([]);
  });

  it("waits long for what the gateway takes long for", async () => {
    const patient = new Set<string>();
    await asked(patient);
    expect(long.length).toBeGreaterThan(10);
    expect(without(patient, long)).toEqual([]);
    expect(without(long, patient, Object.keys(NOT_WAITED_FOR))).toEqual([]);
    expect(without(Object.keys(NOT_WAITED_FOR), long)).toEqual([]);
  });

  it("has no question that no page asks", () => {
    const used = new Set(
      sources.flatMap(({ text }) => [...text.matchAll(/\bgateway\s*\.(\w+)/g)].map(([, name]) => name!)),
    );
    expect(without(Object.keys(gateway), used)).toEqual([]);
  });

  it("asks by its client alone", () => {
    const asks = /\b(fetch\(|XMLHttpRequest|sendBeacon|WebSocket|EventSource\()/;
    const asking = sources.filter(({ text }) => asks.test(text)).map(({ name }) => name);
    expect(asking.sort()).toEqual(["api/client.ts", "live/live.ts"]);
    expect(events).toEqual(["GET /api/live"]);
  });

  it("has no part that nothing leads to", () => {
    const led = new Set(["main.tsx"]);
    for (const from of led) {
      const { text } = sources.find(({ name }) => name === from)!;
      for (const [, to] of text.matchAll(/(?:from|import|import\()\s*"(\.[^"]+)"/g)) {
        const path = join(from, "..", to!);
        const found = sources.find(({ name }) => name === path || name.replace(/\.tsx?$/, "") === path);
        if (found) led.add(found.name);
      }
    }
    expect(
      without(
        sources.map(({ name }) => name),
        led,
      ),
    ).toEqual([]);
  });
});
