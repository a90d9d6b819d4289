/** The built pages before the fake gateway, and a browser that looks at them. */
import type { Browser, Page } from "playwright-core";
import { type PreviewServer, preview } from "vite";
import { afterAll, beforeAll } from "vitest";

import { launch } from "../chromium.ts";
import { PASSWORD } from "../fake/world.ts";
import { listen } from "../seen.ts";

export { barriers, isTooWide, settled } from "../seen.ts";

export interface Look {
  user?: "anna" | "otto" | "vera" | null;
  width?: number;
  scheme?: "light" | "dark";
  isEmpty?: boolean;
  /** A large flow, of so many ways of five nodes. */
  ways?: number;
}

let browser: Browser;
let server: PreviewServer;

/** Called once in each file of tests. */
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

/** A new gateway, somebody who is logged in, and a page. What the browser complains of fails the test. */
export async function open(
  path: string,
  { user = "anna", width = 1280, scheme = "light", isEmpty = false, ways = 0 }: Look = {},
): Promise<Page> {
  await fetch(`${address()}/fake/reset?empty=${isEmpty}&ways=${ways}`);
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
