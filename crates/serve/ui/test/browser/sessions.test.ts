/** Sessions of all accounts, prices and trial calls, and the figures of requests. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

/** An account with money and without a call. */
const IDLE = "/accounts/46703000000";

const table = (page: Page, name: string) => page.getByRole("table", { name });

const rows = (page: Page) => table(page, "Sessions").getByRole("row").filter({ hasText: "4670" });

for (const width of [1280, 390]) {
  for (const scheme of ["light", "dark"] as const) {
    it(`calls in progress are found by number and age, at ${width} pixels, ${scheme}`, async () => {
      const page = await open("/accounts?view=sessions", { user: "vera", width, scheme });
      await expect.poll(() => rows(page).count()).toBe(50);
      await page.getByRole("searchbox", { name: "Number" }).fill("12345");
      await expect.poll(() => rows(page).count()).toBe(1);
      await rows(page).getByText("msc1").waitFor();
      await rows(page).getByText("60 seconds").first().waitFor();
      expect(page.url()).toContain("number=12345");
      expect(await page.getByRole("button", { name: "End…" }).count()).toBe(0);
      await page.getByRole("searchbox", { name: "Number" }).fill("");
      await page.getByLabel("stuck only").check();
      await expect.poll(() => rows(page).count()).toBe(5);
      expect(await page.getByText("stuck since").count()).toBe(5);
      await page.getByLabel("Older than").selectOption({ label: "6 hours" });
      await page.getByText("No sessions").waitFor();
      expect(await barriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await page.getByLabel("Older than").selectOption({ label: "an hour" });
      await expect.poll(() => rows(page).count()).toBe(5);
      expect(await barriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await done(page);
    });
  }
}

it("the reservation of a call moves in the list, and a stuck call is ended with a reason", async () => {
  const page = await open("/accounts?view=sessions&number=46701234567", { user: "otto" });
  const reserved = async () => /([\d.]+) SEK/.exec(await rows(page).first().innerText())?.[1];
  await rows(page).first().waitFor();
  const before = await reserved();
  await expect.poll(reserved).not.toBe(before);
  await page.getByRole("searchbox", { name: "Number" }).fill("");
  await page.getByLabel("stuck only").check();
  await expect.poll(() => rows(page).count()).toBe(5);
  await rows(page).first().getByRole("button", { name: "End…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("its switch was restarted");
  await dialog.getByRole("button", { name: "End" }).click();
  await page.getByText("The session is ended", { exact: false }).waitFor();
  await expect.poll(() => rows(page).count()).toBe(4);
  await page.getByRole("link", { name: "Changes" }).click();
  await page.getByText("its switch was restarted").waitFor();
  await done(page);
});

it("older sessions stay while the list is looked at", async () => {
  const page = await open("/accounts?view=sessions", { user: "vera" });
  await expect.poll(() => rows(page).count()).toBe(50);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => rows(page).count()).toBe(60);
  await page.waitForResponse((response) => response.url().endsWith("/api/charging"));
  expect(await rows(page).count()).toBe(60);
  await done(page);
});

it("a masked list says so", async () => {
  const page = await open("/alarms", { user: "vera" });
  await page.route("**/api/charging/sessions**", async (route) => {
    const response = await route.fetch();
    const found = await response.json();
    const sessions = found.sessions.map((each: object) => ({ ...each, number: "4670•••67", called: "" }));
    await route.fulfill({ response, json: { ...found, sessions, masked: true } });
  });
  await page.goto("/accounts?view=sessions");
  await page.getByText("Numbers are masked").waitFor();
  await page.getByText("4670•••67").first().waitFor();
  await done(page);
});

for (const width of [1280, 390]) {
  it(`a price is said with its steps, and how long the account could call, at ${width} pixels`, async () => {
    const page = await open(IDLE, { user: "vera", width });
    await page.getByRole("button", { name: "Price…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Called number").fill("+43 1 234 56");
    await dialog.getByRole("button", { name: "Show the price" }).click();
    await dialog.getByText("1.80 SEK").waitFor();
    await dialog.getByText("5,000 seconds (1 h 23 min 20 s)").waitFor();
    await table(page, "Steps to the price").getByText("numbers.csv:14").waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await dialog.getByLabel("Service").selectOption("sms");
    await dialog.getByRole("button", { name: "Show the price" }).click();
    await dialog.getByText("price-missing", { exact: true }).waitFor();
    expect(await dialog.getByText("1.80 SEK").count()).toBe(0);
    await done(page);
  });
}

it("an account without money can call for nothing", async () => {
  const page = await open("/accounts/sip%3Aanna%40example.org", { user: "vera" });
  await page.getByRole("button", { name: "Price…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Show the price" }).click();
  await dialog.getByText("nothing: there is no money for the service").waitFor();
  await done(page);
});

/** Fills the dialog of a trial call, and places it. */
async function place(page: Page, { seconds, speed }: { seconds: string; speed: string }) {
  await page.getByRole("button", { name: "Place a call…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("This is a real charge").waitFor();
  await dialog.getByLabel("Called number").fill("46812345678");
  await dialog.getByLabel("Duration in seconds").fill(seconds);
  await dialog.getByLabel("How fast").selectOption({ label: speed });
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Place the call" }).click();
}

for (const width of [1280, 390]) {
  it(`a trial call moves the reservation and is charged, at ${width} pixels`, async () => {
    const page = await open(IDLE, { user: "otto", width });
    const main = page.getByRole("article", { name: "Main balance" });
    await place(page, { seconds: "150", speed: "a minute in a second" });
    const call = page.getByRole("region", { name: "Trial call" });
    await call.getByText("a real charge").waitFor();
    await main.getByText("0.60 SEK reserved").waitFor();
    await page.getByRole("region", { name: "Open sessions" }).getByText("trial of otto").first().waitFor();
    await call.getByText("The call has ended. It cost 1.50 SEK.").waitFor();
    await main.getByText("48.50 SEK available").waitFor();
    expect(await main.getByText("reserved").count()).toBe(0);
    const requests = table(page, "Requests of the trial call").getByRole("row");
    await expect.poll(() => requests.filter({ hasText: /first|next|final/ }).count()).toBe(4);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    const history = table(page, "History");
    await page.getByRole("button", { name: "Why entry 4" }).click();
    await page.getByText("30 seconds by trial of otto").waitFor();
    await call.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => call.count()).toBe(0);
    await history.getByText("voice to 46812345678").first().waitFor();
    await page.getByRole("link", { name: "All accounts" }).click();
    await page.getByRole("link", { name: "Changes" }).click();
    await page.getByText("a trial call", { exact: true }).first().waitFor();
    await done(page);
  });
}

it("a trial call is hung up, and pays for what was used until then", async () => {
  const page = await open(IDLE, { user: "otto" });
  await place(page, { seconds: "3600", speed: "10 seconds in a second" });
  const call = page.getByRole("region", { name: "Trial call" });
  await call.getByText(/: [1-9]\d* of 3600 seconds/).waitFor();
  await call.getByRole("button", { name: "Hang up" }).click();
  await call.getByText("The call has ended.", { exact: false }).waitFor();
  await expect.poll(() => page.getByText("None. A call or connection is here").count()).toBe(1);
  await done(page);
});

it("a trial call ends when the page is left", async () => {
  const page = await open(IDLE, { user: "otto" });
  await place(page, { seconds: "3600", speed: "like a real call" });
  await page.getByRole("region", { name: "Trial call" }).waitFor();
  const last = page.waitForRequest((request) => request.postDataJSON()?.phase === "final");
  await page.getByRole("link", { name: "All accounts" }).click();
  await last;
  await done(page);
});

it("a trial call that is refused or fails says why", async () => {
  const page = await open(IDLE, { user: "otto" });
  await page.getByRole("button", { name: "Place a call…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Service").selectOption("data");
  await dialog.getByRole("button", { name: "Place the call" }).click();
  const call = page.getByRole("region", { name: "Trial call" });
  await call.getByText("The call is refused: the service has no price.").waitFor();
  await page.route("**/trial", (route) => route.abort());
  await place(page, { seconds: "60", speed: "at once" });
  await call.getByText("The call is not reported any more.", { exact: false }).waitFor();
  await page.close();
});

it("a viewer places no call", async () => {
  const page = await open(IDLE, { user: "vera" });
  await page.getByRole("button", { name: "Price…" }).waitFor();
  expect(await page.getByRole("button", { name: "Place a call…" }).count()).toBe(0);
  await done(page);
});

for (const width of [1280, 390]) {
  it(`the figures say what networks asked, and how fast it was answered, at ${width} pixels`, async () => {
    const page = await open("/accounts", { user: "vera", width });
    await page.getByText("177.7 a second, answered within 11 ms (p99)", { exact: false }).click();
    await table(page, "Requests of networks").getByText("41.5").waitFor();
    await table(page, "Refusals").getByText("no-money").waitFor();
    await page.getByText("1.8 ms, 11 ms").waitFor();
    await page.getByText("312.50 SEK/min").waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await done(page);
  });
}
