/** Serves the built pages with the fake gateway, and opens them in a browser. */
import type { Browser, Page } from "playwright-core";
import { type PreviewServer, preview } from "vite";
import { afterAll, beforeAll } from "vitest";

import { launch } from "../chromium.ts";
import { PASSWORD } from "../fake/world.ts";
import { listen } from "../seen.ts";

export { barriers, isTooWide, openAreas, settled } from "../seen.ts";

export interface Look {
  user?: "anna" | "otto" | "vera" | null;
  width?: number;
  scheme?: "light" | "dark";
  isEmpty?: boolean;
  /** For a large flow: the number of chains of five nodes. */
  ways?: number;
  /** The number of processed files of a large flow. */
  files?: number;
}

let browser: Browser;
let server: PreviewServer;

/** Call it once in each test file. */
export function useGateway(): void {
  beforeAll(async () => {
    server = await preview({ preview: { port: 0, strictPort: false, host: "127.0.0.1" }, logLevel: "error" });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
}

export const address = () => server.resolvedUrls!.local[0]!.replace(/\/$/, "");

/** Resets the gateway, logs a user in and opens a page. Errors that the browser reports fail the test. */
export async function open(
  path: string,
  { user = "anna", width = 1280, scheme = "light", isEmpty = false, ways = 0, files = 0 }: Look = {},
): Promise<Page> {
  await fetch(`${address()}/fake/reset?empty=${isEmpty}&ways=${ways}&files=${files}`);
  const context = await browser.newContext({
    baseURL: address(),
    viewport: { width, height: width < 760 ? 844 : 800 },
    colorScheme: scheme,
  });
  context.setDefaultTimeout(15_000);
  if (user !== null) await context.request.post("/login", { data: { name: user, password: PASSWORD } });
  const page = await context.newPage();
  listen(page);
  await page.goto(path);
  return page;
}

export async function done(page: Page): Promise<void> {
  await page.close();
  await page.context().close();
}
