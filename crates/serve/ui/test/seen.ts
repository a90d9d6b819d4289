/** Checks for every page, with the fake gateway and with the real one. */
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Fails the test when the page closes, if the browser reported errors. */
export function listen(page: Page): void {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // The page shows refused requests itself. The browser also reports them.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  page.on("close", () => expect(complaints).toEqual([]));
}

/** Opens all areas of the navigation, so that all pages of the user have a link. */
export async function openAreas(page: Page): Promise<void> {
  const closed = page.getByRole("navigation", { name: "Pages" }).locator('button[aria-expanded="false"]');
  while ((await closed.count()) > 0) await closed.first().click();
}

/** Waits until the page has loaded its data. */
export const settled = (page: Page) => expect.poll(() => page.getByText("Asking the gateway").count()).toBe(0);

/** Returns the serious and critical accessibility violations that axe finds. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    // @ts-expect-error The line above puts it there.
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

/** Returns whether the page is wider than the window and needs horizontal scrolling. */
export const isTooWide = (page: Page) =>
  page.evaluate(() => {
    const main = document.querySelector("main")!;
    return document.documentElement.scrollWidth > window.innerWidth || main.scrollWidth > main.clientWidth;
  });
