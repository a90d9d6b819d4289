/** A change is tried on processed files: started from a script, a table and a version, viewed, and cancelled. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

/** Adds a line at the end of a script or table. */
async function write(page: Page, file: string, line: string): Promise<void> {
  await page.getByRole("textbox", { name: `Text of ${file}` }).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(`\n${line}`);
}

const SCRIPT = "scripts/is_billable.dup";

for (const width of [1280, 390]) {
  it(`a changed script is tried, and what differs is seen side by side, at ${width} pixels`, async () => {
    const page = await open(`/scripts?file=${SCRIPT}`, { user: "otto", width });
    expect(await page.getByRole("link", { name: "Try on yesterday’s files" }).count()).toBe(0);
    await write(page, SCRIPT, "-- other");
    await page.getByRole("link", { name: "Try on yesterday’s files" }).click();
    await page.getByRole("heading", { level: 1, name: "Replay" }).waitFor();
    await page.getByText("Nothing was tried yet").waitFor();
    const form = page.getByRole("form", { name: "What is to be tried" });
    expect(await form.getByLabel("What is tried").inputValue()).toBe(`draft ${SCRIPT}`);
    await form.getByRole("checkbox", { name: "msc-boston" }).check();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await form.getByRole("button", { name: "Try it" }).click();
    await page.getByText("of 3 files are compared").waitFor();
    // The result is still there after the user leaves the page and comes back.
    await page.evaluate(() => window.history.back());
    await page.getByRole("region", { name: `Script ${SCRIPT}` }).waitFor();
    await page.evaluate(() => window.history.forward());
    const tried = page.getByRole("region", { name: `The draft of ${SCRIPT}, tried` });
    await tried.getByText("3 files of msc-boston (the last of 7 that came then)").waitFor();
    await tried.getByText("Something else would become of 19 of 4,800 records, in 2 of 3 files.").waitFor();
    const fields = tried.getByRole("table", { name: "What home-billing gets of record 17 of boston-10432.ber" });
    await fields.getByRole("row", { name: /version/ }).waitFor();
    expect(await fields.getByRole("row", { name: /calledNumber/ }).innerText()).toContain('"46701234567"');
    await tried.getByText("delivered → suspended at home-v8; home-billing gets it no more").waitFor();
    const rules = tried.getByRole("table", { name: "Alerts by rule" });
    expect(await rules.getByRole("row", { name: /wangiri/ }).innerText()).toMatch(/5\.0\s+3\.0/);
    const whom = tried.getByRole("table", { name: "Whom rules would find no more, or in addition" });
    await whom.getByRole("row", { name: /found no more.*0099000001.*no fraud/ }).waitFor();
    // The differences come first.
    const receivers = tried.getByRole("table", { name: "Records by receiver" });
    expect(await receivers.locator("tbody tr").first().innerText()).toContain("home-billing");
    expect(await tried.getByRole("table", { name: "Sums of the audit" }).innerText()).toContain("−1,720");
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await tried.getByRole("link", { name: `To ${SCRIPT}` }).click();
    await page.getByRole("button", { name: "Save and activate…" }).waitFor();
    expect(await page.getByRole("button", { name: "Save and activate…" }).isEnabled()).toBe(true);
    // The results belong to the script as it was at the start.
    expect(await page.getByText("since this was begun").count()).toBe(0);
    await write(page, SCRIPT, "-- and more");
    await page.getByRole("link", { name: "Try on yesterday’s files" }).click();
    await page.getByText(`You have changed ${SCRIPT} since this was begun.`).waitFor();
    await done(page);
  });
}

it("a changed table is tried, and is still there afterwards; a mistake is told", async () => {
  const page = await open("/tariffs?file=tariff/prices.csv", { user: "otto" });
  await write(page, "tariff/prices.csv", "mistake");
  await page.getByRole("link", { name: "Try on yesterday’s files" }).click();
  const form = page.getByRole("form", { name: "What is to be tried" });
  await form.getByRole("button", { name: "Try it" }).click();
  await page.getByRole("alert").getByText("What is to be tried has mistakes").waitFor();
  await page.evaluate(() => window.history.back());
  await page.locator(".cm-content", { hasText: "mistake" }).waitFor();
  await done(page);
});

it("a version is tried, nothing would change, and it is activated; another one that runs is cancelled", async () => {
  const page = await open("/graph", { user: "otto" });
  await page.getByRole("button", { name: "Versions" }).click();
  const try_ = page.getByRole("link", { name: /^Try on files… version \d+$/ }).last();
  const name = /\d+/.exec((await try_.getAttribute("aria-label")) ?? "")?.[0];
  await try_.click();
  const form = page.getByRole("form", { name: "What is to be tried" });
  expect(await form.getByLabel("What is tried").inputValue()).toBe(`version ${name}`);
  await form.getByRole("button", { name: "Try it" }).click();
  await page.getByText("Nothing would change: 3 files, 4,800 records.").waitFor();
  await page.getByRole("button", { name: `Activate version ${name}` }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("Nothing would change");
  await page.getByRole("dialog").getByRole("button", { name: "Activate" }).click();
  await page.getByText(new RegExp(`Version ${name} is active`)).waitFor();
  await form.getByRole("button", { name: "Try it" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled by otto.").waitFor();
  await done(page);
});

it("a viewer sees what was tried, and cannot begin", async () => {
  const page = await open("/replay", { user: "vera" });
  await page.getByText("An operator tries changes").waitFor();
  expect(await page.getByRole("button", { name: "Try it" }).count()).toBe(0);
  await page.goto("/graph");
  await page.getByRole("button", { name: "Versions" }).click();
  await page
    .getByRole("button", { name: /^Look at version/ })
    .first()
    .waitFor();
  expect(await page.getByRole("link", { name: /^Try on files… version/ }).count()).toBe(0);
  await done(page);
});

it("a draft that is not there any more is said so", async () => {
  const page = await open(`/replay?draft=${SCRIPT}`, { user: "otto" });
  await page.getByText("is not there any more").waitFor();
  expect(await page.getByRole("button", { name: "Try it" }).isEnabled()).toBe(false);
  await done(page);
});
