/** The built pages before the fake gateway, and a browser that looks at them. */
import axe from "axe-core";
import { type Browser, type Page, chromium } from "playwright-core";
import { type PreviewServer, preview } from "vite";
import { afterAll, beforeAll, expect } from "vitest";

import { PASSWORD } from "../fake/world.ts";

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
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
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
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // That somebody is refused is said by the page; the browser says it too.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  page.on("close", () => expect(complaints).toEqual([]));
  await page.goto(path);
  return page;
}

export async function done(page: Page): Promise<void> {
  await page.close();
  await page.context().close();
}

/** All that the page asked for is there. */
export const settled = (page: Page) => expect.poll(() => page.getByText("Asking the gateway").count()).toBe(0);

/** What axe finds that keeps somebody from using the page. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    // @ts-expect-error It was just put there.
    const { violations } = (await window.axe.run(document, {
      resultTypes: ["violations"],
    })) as import("axe-core").AxeResults;
    return violations.flatMap((each) =>
      each.nodes.map((node) => ({
        impact: each.impact,
        text: `${each.id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`,
      })),
    );
  });
  return found.filter((each) => each.impact === "serious" || each.impact === "critical").map((each) => each.text);
}

/** What is wider than the window: nobody should have to scroll sideways to read. */
export const isTooWide = (page: Page) =>
  page.evaluate(() => {
    const main = document.querySelector("main")!;
    return document.documentElement.scrollWidth > window.innerWidth || main.scrollWidth > main.clientWidth;
  });
