/** The command palette, by the keyboard. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

const palette = (page: Page) => page.getByRole("dialog", { name: "Command palette" });

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await palette(page).waitFor();
  await page.keyboard.type(text);
}

it("goes to a page and to a node by the keyboard alone", async () => {
  const page = await open("/alarms", { user: "otto" });
  await page.getByRole("heading", { level: 1, name: "Alarms" }).waitFor();
  await type(page, "deliv");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Deliveries" }).waitFor();
  expect(await palette(page).count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  // On the graph, a second node is shown too.
  for (const node of ["isRoaming", "home-billing"]) {
    await type(page, node);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: node }).waitFor();
  }
  await type(page, "is_roaming.dup");
  await palette(page).getByRole("option", { name: "scripts/is_roaming.dup Script" }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("/scripts?file=scripts%2Fis_roaming.dup");
  await done(page);
});

it("tells a screen reader what is chosen", async () => {
  for (const scheme of ["light", "dark"] as const) {
    for (const width of [1280, 390]) {
      const page = await open("/files", { width, scheme });
      await page.getByRole("button", { name: "Go to…" }).click();
      const field = page.getByRole("combobox", { name: "Page, node, script or action" });
      await field.fill("msc-boston");
      const chosen = async () => {
        const id = await field.getAttribute("aria-activedescendant");
        return page.locator(`[id="${id}"]`).innerText();
      };
      expect(await chosen()).toMatch(/^msc-boston\s+Network element$/);
      await page.keyboard.press("ArrowDown");
      expect(await chosen()).toMatch(/^msc-boston: files/);
      expect(await barriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await page.keyboard.press("Escape");
      await palette(page).waitFor({ state: "detached" });
      expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(width < 760 ? "" : "Go to…");
      await done(page);
    }
  }
});

it("runs an action of the page, which may ask in a dialog", async () => {
  const page = await open("/suspense/919", { user: "otto" });
  await page.getByRole("button", { name: "Retry…" }).waitFor();
  await type(page, "retry");
  await palette(page).getByRole("option", { name: "Retry… This page" }).click();
  const dialog = page.getByRole("dialog", { name: /Retry/ });
  await dialog.waitFor();
  // A dialog that expects an answer keeps the palette away.
  await page.keyboard.press("Control+k");
  expect(await palette(page).count()).toBe(0);
  await done(page);
});

it("offers no action that the role may not run", async () => {
  const page = await open("/suspense/919", { user: "vera" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  await type(page, "retry");
  await palette(page).getByRole("option").first().waitFor();
  expect(
    await palette(page)
      .getByRole("option", { name: /This page/ })
      .count(),
  ).toBe(0);
  await done(page);
});

it("searches for what no command has in its name", async () => {
  const page = await open("/alarms");
  await page.getByRole("heading", { level: 1, name: "Alarms" }).waitFor();
  await type(page, "boston-10432");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Files" }).waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe("boston-10432");
  await done(page);
});

it("leaves the shortcut to the editor of scripts", async () => {
  const page = await open("/scripts?file=scripts/is_roaming.dup", { user: "otto" });
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+k");
  expect(await palette(page).count()).toBe(0);
  await done(page);
});
