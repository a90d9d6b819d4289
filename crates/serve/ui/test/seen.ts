/** What is looked at on every page, before the gateway in memory and before the real one. */
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** What the browser complains of fails the test, when the page is closed. */
export function listen(page: Page): void {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // That somebody is refused is said by the page; the browser says it too.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  page.on("close", () => expect(complaints).toEqual([]));
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
