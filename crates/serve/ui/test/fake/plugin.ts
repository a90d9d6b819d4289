/** A fake gateway in memory, for development and tests. It answers at the addresses of the real API. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Connect, Plugin } from "vite";

import type { Changed, Figures, Graph } from "../../src/api/types.ts";
import { answer } from "./routes.ts";
import { tick } from "./figures.ts";
import { type World, world } from "./world.ts";

const TICK_MS = 1_000;

/** The data of each event. */
interface Events {
  graph: Graph;
  figures: Figures;
  changed: Changed;
}

export function fakeGateway(): Plugin {
  return {
    name: "fake-gateway",
    configureServer: (server) => void server.middlewares.use(middleware()),
    configurePreviewServer: (server) => void server.middlewares.use(middleware()),
  };
}

function middleware(): Connect.NextHandleFunction {
  let gateway: World = world("example");
  let second = 0;
  /** Whether the gateway is silent, as behind a broken cable. */
  let isSilent = false;
  const listeners = new Set<ServerResponse>();
  const send = <Event extends keyof Events>(to: ServerResponse, event: Event, data: Events[Event]) =>
    to.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  setInterval(() => {
    second += 1;
    tick(gateway, second);
    if (isSilent) return;
    for (const listener of listeners) send(listener, "figures", gateway.figures);
  }, TICK_MS).unref();

  return (request, response, next) => {
    const address = new URL(request.url ?? "/", "http://fake");
    const path = address.pathname;
    if (path === "/fake/silent") {
      isSilent = address.searchParams.get("is") === "true";
      response.end("silent");
      return;
    }
    if (path === "/fake/reset") {
      isSilent = false;
      const ways = Number(address.searchParams.get("ways") ?? 0);
      const files = Number(address.searchParams.get("files") ?? 0);
      gateway = world(
        ways > 0
          ? { ways, files: files > 0 ? files : undefined }
          : address.searchParams.get("empty") === "true"
            ? "empty"
            : "example",
      );
      response.end("reset");
      return;
    }
    const isPage = request.method === "GET" && path === "/welcome";
    if (
      isPage ||
      !(path.startsWith("/api/") || ["/login", "/logout", "/welcome", "/welcome/look"].includes(path)) ||
      (path === "/login" && request.method === "GET")
    ) {
      next();
      return;
    }
    const cookie = /tollgate_session=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1] ?? null;
    if (path === "/api/live" && isSilent) {
      response.writeHead(503).end();
      return;
    }
    if (path === "/api/live" && cookie !== null && gateway.sessions.has(cookie)) {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
      send(response, "graph", gateway.running);
      send(response, "figures", gateway.figures);
      listeners.add(response);
      request.on("close", () => listeners.delete(response));
      return;
    }
    void body(request).then((raw) => {
      const found = answer(gateway, {
        method: request.method ?? "GET",
        path,
        query: address.searchParams,
        body: raw === "" ? {} : JSON.parse(raw),
        raw: jsonOf(raw),
        cookie,
        csrf: (request.headers["x-csrf-token"] as string | undefined) ?? null,
      });
      const headers: Record<string, string> = { "Content-Type": "application/json" };
      if (found.cookie !== undefined)
        headers["Set-Cookie"] = `tollgate_session=${found.cookie}; HttpOnly; SameSite=Strict; Path=/`;
      response.writeHead(found.status, headers);
      response.end(found.json ?? (found.body === undefined ? "" : JSON.stringify(found.body)));
      if (found.changed === undefined || isSilent) return;
      for (const listener of listeners) {
        send(listener, "changed", { what: found.changed });
      }
    });
  };
}

async function body(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** Returns the text of `json` in a body, so that its numbers keep their digits. */
function jsonOf(raw: string): string {
  const start = raw.indexOf('"json":');
  if (start < 0) return "";
  const end = raw.lastIndexOf(',"because":');
  return raw.slice(start + 7, end < 0 ? -1 : end);
}
