/** Requests with the types of the API. A build fails if a line that is to be refused by the compiler is not. */
import { afterEach, expect, it, vi } from "vitest";

import { ask, askWide } from "../../src/api/ask";

afterEach(() => vi.unstubAllGlobals());

/** Makes a request, and returns its method and address. The gateway answers with this text. */
async function sent(request: () => Promise<unknown>, answer = "{}"): Promise<string> {
  let found = "";
  vi.stubGlobal("fetch", async (address: string, { method }: { method: string }) => {
    found = `${method} ${address}`;
    return new Response(answer);
  });
  await request();
  return found;
}

it("a request has its values in the path, and a name with folders as segments", async () => {
  expect(await sent(() => ask("DELETE /api/people/{name}", { path: { name: "a/b c" } }))).toBe(
    "DELETE /api/people/a%2Fb%20c",
  );
  expect(await sent(() => ask("GET /api/scripts/{file}", { path: { file: ["my scripts", "x.dup"] } }))).toBe(
    "GET /api/scripts/my%20scripts/x.dup",
  );
  expect(
    await sent(() =>
      ask("GET /api/tariff-versions/{version}/{file}", {
        path: { version: 3, file: "prices.csv" },
        query: { plan: "a.db" },
      }),
    ),
  ).toBe("GET /api/tariff-versions/3/prices.csv?plan=a.db");
});

it("a request has the parameters that are given", async () => {
  const query = { all: true, before: undefined, limit: null };
  expect(await sent(() => ask("GET /api/alarms", { query }))).toBe("GET /api/alarms?all=true");
  expect(await sent(() => ask("GET /api/alarms"))).toBe("GET /api/alarms");
});

it("an answer without text is nothing", async () => {
  vi.stubGlobal("fetch", async () => new Response(null, { status: 204 }));
  expect(await ask("POST /logout")).toBeUndefined();
});

it("a wide answer has integers of any size", async () => {
  vi.stubGlobal("fetch", async () => new Response('{"amounts":[{"sum":170141183460469231731}]}'));
  const { amounts } = await askWide("GET /api/audit");
  expect(amounts[0]!.sum).toBe(170_141_183_460_469_231_731n);
});

/** Never called: the compiler looks at it. */
export function refused(): void {
  // @ts-expect-error There is no such path.
  void ask("GET /api/alarm");
  // @ts-expect-error The path has no such method.
  void ask("POST /api/alarms");
  // @ts-expect-error The query has no such parameter.
  void ask("GET /api/alarms", { query: { every: true } });
  // @ts-expect-error The parameter is of another type.
  void ask("GET /api/alarms", { query: { limit: "5" } });
  // @ts-expect-error A parameter is missing.
  void ask("GET /api/counters", { query: {} });
  // @ts-expect-error The value in the path is missing.
  void ask("GET /api/suspense/{id}");
  // @ts-expect-error The body is missing.
  void ask("POST /api/tokens");
  // @ts-expect-error There is no such role.
  void ask("POST /api/tokens", { body: { name: "a", role: "guest" } });
  // @ts-expect-error The body has no such member.
  void ask("POST /api/tokens", { body: { name: "a", role: "viewer", hours: 3 } });
  // @ts-expect-error The operation takes no body.
  void ask("POST /logout", { body: {} });
  // @ts-expect-error The answer has no such member.
  void ask("GET /api/alarms").then(({ rows }) => rows);
}
