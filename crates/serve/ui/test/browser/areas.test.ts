/** The areas of the navigation. */
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, openAreas, useGateway } from "./gateway.ts";

useGateway();

it("an area is opened and closed by the keyboard, and stays so", async () => {
  const page = await open("/alarms");
  const navigation = page.getByRole("navigation", { name: "Pages" });
  const build = navigation.getByRole("button", { name: "Build" });
  expect(await build.getAttribute("aria-expanded")).toBe("false");
  expect(await navigation.getByRole("link", { name: "Scripts" }).count()).toBe(0);
  await build.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Scripts");
  await page.reload();
  await navigation.getByRole("link", { name: "Scripts" }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await done(page);
});

it("the area of the page is open, and the page says where it is", async () => {
  const page = await open("/tariffs");
  await page.getByRole("heading", { level: 1, name: "Tariffs" }).waitFor();
  const navigation = page.getByRole("navigation", { name: "Pages" });
  expect(await navigation.locator("[aria-current]").allInnerTexts()).toEqual(["Tariffs"]);
  const breadcrumb = page.getByRole("navigation", { name: "Breadcrumb" });
  expect(await breadcrumb.innerText()).toBe("Charge");
  expect(await page.title()).toContain("Tariffs · Charge · Tollgate");
  await page.goto("/suspense/919");
  await breadcrumb.getByText("Repair").waitFor();
  await breadcrumb.getByRole("link", { name: "Suspense" }).click();
  await page.getByRole("heading", { level: 1, name: "Suspense" }).waitFor();
  await done(page);
});

it("a closed area still shows what waits in it", async () => {
  for (const width of [1280, 390]) {
    const page = await open("/trail", { width });
    if (width < 760) await page.getByRole("button", { name: "Menu", exact: true }).click();
    const navigation = page.getByRole("navigation", { name: "Pages" });
    const monitor = navigation.getByRole("button", { name: /^Monitor/ });
    await navigation.getByRole("link", { name: /^Alarms 3 raised/ }).waitFor();
    await monitor.click();
    expect(await navigation.getByRole("link", { name: /^Alarms/ }).count()).toBe(0);
    await monitor.getByText("3 raised").waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    // The state of the gateway is above every page, whatever the navigation shows.
    await page.locator(".standing").getByText("In suspense").waitFor({ state: "attached" });
    await done(page);
  }
});

it("a viewer has no page that needs another role", async () => {
  const page = await open("/trail", { user: "vera" });
  const navigation = page.getByRole("navigation", { name: "Pages" });
  await navigation.getByRole("link", { name: "Trail" }).waitFor();
  await openAreas(page);
  expect(await navigation.getByRole("link", { name: "People" }).count()).toBe(0);
  await done(page);
});
