/** All that is stored about a subject, and its erasure. */
import { readFileSync } from "node:fs";

import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

const KEY = "0099000001\u202e";

const about = (key: string) => `/fraud/subject?${new URLSearchParams({ key })}`;

const table = (page: Page, name: string) => page.getByRole("table", { name });

for (const width of [1280, 390]) {
  it(`a case leads to all about its key, at ${width} pixels`, async () => {
    const page = await open("/fraud/cases/17", { user: "otto", width });
    await page.getByRole("link", { name: "0099000001\\u202e" }).click();
    await page.getByRole("heading", { level: 2, name: "0099000001\\u202e" }).waitFor();
    await page.getByRole("heading", { level: 2, name: "6 alerts" }).waitFor();
    await page.locator(".lane").first().waitFor();
    await table(page, "Cases").getByRole("link", { name: "case 9" }).waitFor();
    await table(page, "Cases").getByText("fraud", { exact: true }).first().waitFor();
    await table(page, "Cases").getByText("2 steps").click();
    await table(page, "Cases").getByText("assigned to nils").waitFor();
    await table(page, "Entries of lists").getByRole("link", { name: "call-centres" }).waitFor();
    await table(page, "Views").getByText("fraud about").waitFor();
    await page.getByText("Lists that cannot be read: staff.").waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await done(page);
  });
}

it("a key is searched for from each tab, and may be unknown", async () => {
  const page = await open("/fraud/alerts", { user: "otto" });
  const subject = page.getByRole("searchbox", { name: "Subject" });
  await subject.fill("0000021712");
  await page.keyboard.press("Enter");
  // It is a part of pairs alone.
  await page.getByRole("link", { name: "0000021712>0000000047" }).click();
  await page.getByRole("heading", { level: 2, name: "1 alert" }).waitFor();
  expect(await subject.inputValue()).toBe("0000021712>0000000047");
  await subject.fill("4799");
  await page.keyboard.press("Enter");
  await page.getByText("Nothing is stored about this key").waitFor();
  await page.getByRole("navigation", { name: "Parts of fraud" }).getByRole("link", { name: "Alerts" }).click();
  await table(page, "Alerts").getByRole("link", { name: "0099000009" }).first().click();
  await page.getByRole("heading", { level: 2, name: "2 alerts" }).waitFor();
  await done(page);
});

it("a report is downloaded as JSON", async () => {
  const page = await open(about("0099000009"), { user: "otto" });
  const begun = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download report" }).click();
  const download = await begun;
  expect(download.suggestedFilename()).toMatch(/^tollgate-subject-[\dTZ-]+\.json$/);
  const report = JSON.parse(readFileSync(await download.path(), "utf8")) as { key: string; alerts: unknown[] };
  expect([report.key, report.alerts.length]).toEqual(["0099000009", 2]);
  await done(page);
});

it("an administrator erases a subject once no action about it is open", async () => {
  const page = await open(about(KEY), { user: "anna" });
  const dialog = page.getByRole("dialog");
  const erase = dialog.getByRole("button", { name: "Erase", exact: true });
  await page.getByRole("button", { name: "Erase…" }).click();
  await dialog.getByText(/about the key (is|are) open/).waitFor();
  await dialog.getByText("the figures of rules do not change").waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByLabel("Reason").fill("they want it");
  await dialog.getByLabel("The key, once more").fill("0099000001");
  expect(await erase.isDisabled()).toBe(true);
  await dialog.getByLabel("The key, once more").fill(KEY);
  await erase.click();
  await dialog.getByText("subject-has-open-actions").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  for (;;) {
    const refuse = page.getByRole("button", { name: /^Refuse action/ });
    if ((await refuse.count()) === 0) break;
    const name = await refuse.first().getAttribute("aria-label");
    await refuse.first().click();
    await dialog.getByLabel("Reason").fill("it is erased");
    await dialog.getByRole("button", { name: "Refuse" }).click();
    await page.getByRole("button", { name: name!, exact: true }).waitFor({ state: "detached" });
  }
  await page.getByRole("button", { name: "Erase…" }).click();
  // As it is shown: not all of its characters can be typed.
  await dialog.getByLabel("The key, once more").fill("0099000001\\u202e");
  await dialog.getByLabel("Reason").fill(`${KEY} wants it`);
  await erase.click();
  await dialog.getByText("reason-names-subject").waitFor();
  await dialog.getByLabel("Reason").fill("they want it");
  await erase.click();
  const erased = page.getByRole("region", { name: "Erased" });
  await erased.getByText("6 alerts").waitFor();
  await erased.getByText("call-centres").waitFor();
  // The list still has it.
  await page.getByRole("heading", { level: 2, name: "0 alerts" }).waitFor();
  await erased.getByRole("link", { name: /^erased-\d+$/ }).click();
  await page.getByRole("heading", { level: 2, name: "6 alerts" }).waitFor();
  await done(page);
});

it("an operator erases nothing, and a viewer is refused", async () => {
  const operator = await open(about("0099000009"), { user: "otto" });
  await operator.getByRole("button", { name: "Download report" }).waitFor();
  expect(await operator.getByRole("button", { name: "Erase…" }).count()).toBe(0);
  await done(operator);
  const viewer = await open(about("0099000009"), { user: "vera" });
  await viewer.getByText("a report about a subject needs the role operator").waitFor();
  expect(await viewer.getByRole("button", { name: "Download report" }).count()).toBe(0);
  await done(viewer);
});

it("without a key, the page says what to do", async () => {
  const page = await open("/fraud/subject", { user: "otto" });
  await page.getByText("Whom is it about?").waitFor();
  await done(page);
});
