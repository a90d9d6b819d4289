/** The tools of a list: its order, columns, saved views, export and live refresh. */
import { readFile } from "node:fs/promises";

import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

const cells = (page: Page, name: string) => page.locator(`td[data-label="${name}"]`).allInnerTexts();

it("a list is sorted by the keyboard, and the order is in the address", async () => {
  const page = await open("/trail");
  const heading = page.getByRole("columnheader", { name: "What", exact: true });
  await heading.getByRole("button").focus();
  await page.keyboard.press("Enter");
  expect(await heading.getAttribute("aria-sort")).toBe("ascending");
  const ascending = await cells(page, "What");
  expect(ascending).toEqual([...ascending].sort());
  await page.keyboard.press("Enter");
  expect(await heading.getAttribute("aria-sort")).toBe("descending");
  expect(await cells(page, "What")).toEqual([...ascending].reverse());
  expect(page.url()).toContain("sort=-what");
  await page.reload();
  await expect.poll(() => cells(page, "What")).toEqual([...ascending].reverse());
  await done(page);
});

it("a list is sorted by several columns", async () => {
  const page = await open("/trail?sort=who");
  await page
    .getByRole("columnheader", { name: "When" })
    .getByRole("button")
    .click({ modifiers: ["Shift"] });
  await expect.poll(() => page.url()).toContain("sort=who%2C-when");
  const who = await cells(page, "Who");
  expect(who).toEqual([...who].sort());
  await done(page);
});

it("columns are chosen, in a wide and a narrow window", async () => {
  for (const scheme of ["light", "dark"] as const) {
    for (const width of [1280, 390]) {
      const page = await open("/trail", { width, scheme });
      await page.getByRole("button", { name: "Display" }).click();
      await page.getByRole("checkbox", { name: "To what" }).click();
      await page.getByRole("checkbox", { name: "Before" }).click();
      expect(await barriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      expect(await page.locator('td[data-label="To what"]').count()).toBe(0);
      expect(await page.locator('td[data-label="Before"]').count()).toBeGreaterThan(0);
      await page.getByLabel("Sort by").selectOption("-who");
      await expect.poll(() => page.url()).toContain("sort=-who");
      await page.keyboard.press("Escape");
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Display");
      expect(await page.getByRole("checkbox", { name: "Before" }).count()).toBe(0);
      await done(page);
    }
  }
});

it("a view is saved, opened by its link, and deleted", async () => {
  const page = await open("/trail?sort=-who&columns=when,who");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByLabel("Save this view as").fill("Night");
  await page.keyboard.press("Enter");
  const link = page.getByRole("link", { name: "Night" });
  await link.waitFor();
  expect(await link.getAttribute("href")).toBe("/trail?sort=-who&columns=when%2Cwho");
  expect(await barriers(page)).toEqual([]);
  await page.goto("/trail");
  await page.getByRole("button", { name: "Views" }).click();
  await link.click();
  await expect.poll(() => page.getByRole("columnheader").count()).toBe(2);
  // The command palette has it on every page.
  await page.goto("/alarms");
  await page.getByRole("heading", { level: 1, name: "Alarms" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("night");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("/trail?sort=-who");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("button", { name: "Delete the view Night" }).click();
  await link.waitFor({ state: "detached" });
  await done(page);
});

it("what is shown is exported", async () => {
  const page = await open("/trail?columns=who,what&sort=who");
  const rows = page.getByRole("row");
  await rows.nth(1).waitFor();
  for (const format of ["CSV", "JSON"] as const) {
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: format, exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^tollgate-trail-[\dTZ-]+\.(csv|json)$/);
    const text = await readFile(await download.path(), "utf8");
    const who = await cells(page, "Who");
    if (format === "CSV")
      expect(
        text
          .split("\r\n")
          .slice(1, -1)
          .map((line) => line.split(",")[0]),
      ).toEqual(who);
    else expect(JSON.parse(text).map((row: { who: string }) => row.who)).toEqual(who);
  }
  // So can the command palette.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("export csv");
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  expect(download.suggestedFilename()).toMatch(/\.csv$/);
  await done(page);
});

it("a list that is followed shows new rows", async () => {
  const page = await open("/trail?live=true");
  await page.getByRole("button", { name: "Follow", pressed: true }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => request.url().includes("/api/trail") && asked.push(request.url()));
  await expect.poll(() => asked.length).toBeGreaterThan(1);
  await page.getByRole("button", { name: "Follow" }).click();
  await expect.poll(() => page.url()).not.toContain("live");
  await done(page);
});

it("every list of what happened has a period, which is in the address", async () => {
  for (const path of ["files", "deliveries", "alarms", "trail", "suspense", "matching", "audit"]) {
    const page = await open(`/${path}`);
    const [request] = await Promise.all([
      page.waitForRequest((each) => new URL(each.url()).pathname === `/api/${path}` && each.url().includes("from=")),
      page.getByLabel("Period").selectOption({ label: "today" }),
    ]);
    expect(new URL(request.url()).searchParams.get("from"), path).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(page.url()).toContain(`/${path}?days=1`);
    await done(page);
  }
});

it("times of one's own are in UTC, and stay after a reload", async () => {
  const page = await open("/trail?days=7", { width: 390 });
  const rows = page.locator('td[data-label="When"]');
  await rows.first().waitFor();
  const period = page.getByLabel("Period");
  await period.selectOption({ label: "times of your own" });
  await page.getByLabel("From (UTC)").fill("2020-01-01T08:00");
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.url().includes("to=2020")),
    page.getByLabel("To (UTC), not included").fill("2020-01-02T00:00"),
  ]);
  const asked = new URL(request.url()).searchParams;
  expect([asked.get("from"), asked.get("to")]).toEqual(["2020-01-01T08:00:00Z", "2020-01-02T00:00:00Z"]);
  await page.getByText("No changes then").waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await page.reload();
  await page.getByText("No changes then").waitFor();
  expect(await page.getByLabel("From (UTC)").inputValue()).toBe("2020-01-01T08:00");
  await period.selectOption({ label: "any time" });
  await rows.first().waitFor();
  expect(new URL(page.url()).search).toBe("");
  await done(page);
});

it("what is chosen in suspense is of the period that is shown", async () => {
  const page = await open("/trail");
  const [listed] = await Promise.all([
    page.waitForRequest((each) => new URL(each.url()).pathname === "/api/suspense"),
    page.goto("/suspense?hours=1"),
  ]);
  const from = new URL(listed.url()).searchParams.get("from");
  await page.getByRole("button", { name: /^Discard all/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/Reason/).fill("test calls");
  const [discarded] = await Promise.all([
    page.waitForRequest((each) => each.url().endsWith("/api/suspense/discard")),
    dialog.getByRole("button", { name: /^Discard/ }).click(),
  ]);
  expect(discarded.postDataJSON().filter).toMatchObject({ from, state: "open" });
  await done(page);
});

it("older rows that come after the filter was changed are not shown", async () => {
  const page = await open("/matching");
  await page.getByRole("button", { name: "Show more" }).waitFor();
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/\/api\/matching\?.*after=/, async (route) => {
    await isAnswered;
    await route.continue();
  });
  await Promise.all([
    page.waitForRequest(/\/api\/matching\?.*after=/),
    page.getByRole("button", { name: "Show more" }).click(),
  ]);
  await page.getByRole("table", { name: "Nodes" }).getByRole("link", { name: "sessions" }).click();
  await page.getByText("1 row", { exact: true }).waitFor();
  const [response] = await Promise.all([page.waitForResponse(/\/api\/matching\?.*after=/), answer()]);
  await response.finished();
  // The page has read and drawn the answer when it has done so with a later one.
  await page.evaluate(async () => {
    await (await fetch("/api/session")).text();
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
  expect(await cells(page, "Node")).toEqual(["sessions"]);
  await done(page);
});

it("a long text in the trail is cut to two lines, and shown whole on demand", async () => {
  const numbers = Array.from({ length: 100 }, (_, place) => 900 + place).join(", ");
  for (const width of [1280, 390]) {
    const page = await open("/alarms", { width });
    await page.route(/\/api\/trail/, async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { entries: { subject: string }[] };
      answer.entries[0]!.subject = numbers;
      await route.fulfill({ response, json: answer });
    });
    await page.goto("/trail");
    const text = page.getByText(numbers);
    const height = () => text.evaluate((each) => each.getBoundingClientRect().height);
    await text.waitFor();
    const cut = await height();
    expect(cut).toBeLessThan(45);
    await page.getByRole("button", { name: "the whole text" }).click();
    expect(await height()).toBeGreaterThan(2 * cut);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.getByRole("button", { name: "less" }).click();
    expect(await height()).toBe(cut);
    await done(page);
  }
});

it("a smaller list within a page is exported, too", async () => {
  const page = await open("/people");
  const tools = page.getByRole("group", { name: "Tokens: tools" });
  await tools.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    tools.getByRole("button", { name: "JSON", exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^tollgate-tokens-/);
  await done(page);
});
