/** Traces of messages to files: started, ended, saved and removed. Alarms about peers. */
import { readFile } from "node:fs/promises";

import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

const MESSAGES = "/accounts?view=messages";
const NUMBER = "46701234567";

const traces = (page: Page) => page.getByRole("table", { name: "Traces" });

async function isSound(page: Page) {
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
}

async function start(page: Page, because: string) {
  await page.getByRole("button", { name: "Start a trace…" }).click();
  const dialog = page.getByRole("dialog", { name: "Start a trace?" });
  expect(await dialog.getByRole("button", { name: "Start" }).isDisabled()).toBe(true);
  await dialog.getByLabel("For").selectOption("10 minutes");
  await dialog.getByLabel("Reason").fill(because);
  return dialog;
}

for (const width of [1280, 390]) {
  for (const scheme of ["light", "dark"] as const) {
    it(`a trace of a number is started, saved, ended and removed, at ${width} pixels, ${scheme}`, async () => {
      const page = await open(`${MESSAGES}&number=${NUMBER}`, { width, scheme });
      await page.getByText("No traces.", { exact: false }).waitFor();
      const dialog = await start(page, "ticket 4711");
      expect(await dialog.getByLabel("Number").inputValue()).toBe(NUMBER);
      await isSound(page);
      await dialog.getByRole("button", { name: "Start" }).click();
      await page.getByText("Trace 1 runs until", { exact: false }).waitFor();
      const row = traces(page)
        .getByRole("row")
        .filter({ hasText: `number ${NUMBER}` });
      await row.getByText("runs", { exact: true }).waitFor();
      await row.getByText("ticket 4711").waitFor();
      await isSound(page);
      const saved = async (button: string) => {
        const download = page.waitForEvent("download");
        await row.getByRole("button", { name: button }).click();
        const file = await download;
        return [file.suggestedFilename(), await readFile(await file.path(), "utf8")];
      };
      const parts = (form: string) => `${form}: first\n${form}: second\n`;
      expect(await saved("Download trace 1 for Wireshark")).toEqual(["tollgate-trace-1.pcapng", parts("pcapng")]);
      expect(await saved("Download trace 1 as XML")).toEqual(["tollgate-trace-1.xml", parts("xml")]);
      await row.getByRole("button", { name: "End trace 1…" }).click();
      const end = page.getByRole("dialog", { name: "End trace 1?" });
      await end.getByLabel("Reason").fill("found it");
      await end.getByRole("button", { name: "End" }).click();
      await row.getByText("an operator ended it").waitFor();
      await row.getByRole("button", { name: "Remove trace 1…" }).click();
      const remove = page.getByRole("dialog", { name: "Remove trace 1?" });
      await remove.getByLabel("Reason").fill("the ticket is closed");
      await remove.getByRole("button", { name: "Remove" }).click();
      await page.getByText("No traces.", { exact: false }).waitFor();
      await page.getByRole("link", { name: "Changes" }).click();
      await page.getByRole("table", { name: "Changes" }).getByText("ticket 4711").waitFor();
      await done(page);
    });
  }
}

it("an operator removes no trace, and a viewer starts none", async () => {
  const page = await open(MESSAGES, { user: "otto" });
  const dialog = await start(page, "all");
  await dialog.getByRole("button", { name: "Start" }).click();
  const row = traces(page).getByRole("row").filter({ hasText: "all messages" });
  await row.getByRole("button", { name: "End trace 1…" }).click();
  const end = page.getByRole("dialog", { name: "End trace 1?" });
  await end.getByLabel("Reason").fill("found it");
  await end.getByRole("button", { name: "End" }).click();
  await row.getByText("an operator ended it").waitFor();
  expect(await row.getByRole("button", { name: "Remove trace 1…" }).count()).toBe(0);
  await done(page);
  const viewer = await open(MESSAGES, { user: "vera" });
  await viewer.getByText("No traces.", { exact: false }).waitFor();
  expect(await viewer.getByRole("button", { name: "Start a trace…" }).count()).toBe(0);
  await done(viewer);
});

it("alarms about peers are above all parts of the page", async () => {
  const page = await open("/alarms", { user: "vera", width: 390 });
  await page.route("**/api/charging", async (route) => {
    const response = await route.fetch();
    const alarm = {
      kind: "peer-down",
      peer: "smf.example.net",
      text: "it is not connected since 2026-11-21T14:05:00Z\u202e",
      since: "2026-11-21T14:06:00Z",
    };
    await route.fulfill({ response, json: { ...(await response.json()), peer_alarms: [alarm] } });
  });
  await page.goto("/accounts");
  const alert = page.getByRole("alert").filter({ hasText: "it is not connected since" });
  await alert.getByText("\\u202e", { exact: false }).waitFor();
  await isSound(page);
  await alert.getByRole("link", { name: "smf.example.net" }).click();
  await page.getByRole("table", { name: "Peers" }).waitFor();
  await done(page);
});
