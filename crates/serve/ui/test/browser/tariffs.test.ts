/** Tariff plans: the price of a call, and the change of a price. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

const panelOf = (page: Page) => page.getByRole("region", { name: "A first version" });

/** Returns the row of a version of the plan in the database. */
const row = (page: Page, version: number) =>
  page
    .getByRole("table", { name: "Versions of wholesale.db" })
    .getByRole("row")
    .filter({ has: page.getByRole("link", { name: `Look at it, version ${version} of wholesale.db` }) });

for (const width of [1280, 390]) {
  it(`the price of a call is explained, and each step leads to its line, at ${width} pixels`, async () => {
    const page = await open("/tariffs", { user: "vera", width });
    const plan = page.getByRole("region", { name: "Plan tariff" });
    const form = plan.getByRole("form", { name: "What a call costs by tariff" });
    await form.getByLabel("From", { exact: true }).fill("0701234567");
    await form.getByLabel("To", { exact: true }).fill("0721234567");
    await form.getByLabel("Start").fill("2026-06-01 18:59:30");
    await form.getByLabel("Duration").fill("60");
    await form.getByRole("button", { name: "What does it cost?" }).click();
    await page.getByRole("alert").getByText("this time has no zone").waitFor();
    await form.getByLabel("Start").fill("2026-06-01 18:59:30 Europe/Stockholm");
    await form.getByRole("button", { name: "What does it cost?" }).click();
    const price = plan.getByRole("region", { name: "The price, explained" });
    await expect.poll(() => price.getByRole("status").innerText()).toContain("1.28 SEK, 0.19 SEK of it tax");
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await price.getByRole("link", { name: "prices.csv, line 2" }).first().click();
    await page.getByRole("region", { name: "Table tariff/prices.csv" }).waitFor();
    await page.locator(".cm-activeLine", { hasText: "peak" }).waitFor();
    expect(await page.getByRole("button", { name: "Save and activate…" }).count()).toBe(0);
    await done(page);
  });
}

it("the services that a plan knows are offered, and what has to be said is marked", async () => {
  const page = await open("/tariffs");
  const form = page.getByRole("form", { name: "What a call costs by tariff" });
  const service = form.getByLabel("Service");
  expect(await service.inputValue()).toBe("telephony");
  const offered = service.evaluate((field: HTMLInputElement) => [...field.list!.options].map((each) => each.value));
  expect(await offered).toEqual(["telephony", "sms", "data"]);
  await page.getByText("of the plan: telephony, sms, data").waitFor();
  await form.getByLabel("Start (required)").waitFor();
  await done(page);
});

it("what has no tariff says which step found none", async () => {
  const page = await open("/tariffs");
  const form = page.getByRole("form", { name: "What a call costs by tariff" });
  await form.getByLabel("To", { exact: true }).fill("0999");
  await form.getByLabel("Start").fill("2026-06-01T12:00:00Z");
  await form.getByRole("button", { name: "What does it cost?" }).click();
  await page.getByText('no prefix of the other number "0999"').waitFor();
  await done(page);
});

it("a price is changed: a mistake is shown while it is written, and what is right becomes active", async () => {
  const page = await open("/tariffs?file=tariff/prices.csv&line=4", { user: "otto" });
  const text = page.getByRole("textbox", { name: "Text of tariff/prices.csv" });
  await text.waitFor();
  await page.locator(".cm-activeLine", { hasText: "fixed" }).waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("sms,,,*,,dear,,,,,");
  const check = page.getByRole("status", { name: "Check of the plan" });
  await check.getByText("This is no price: dear").waitFor();
  await page.keyboard.press("Shift+Home");
  await page.keyboard.type("sms,,,*,,0.20,,,,,");
  await check.getByText("No mistakes.").waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Save and activate…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Remark").fill("messages have a price");
  await dialog.getByRole("button", { name: "Save and activate" }).click();
  await page.getByText(/tariff\/prices.csv is active/).waitFor();
  await done(page);
});

it("a table that a spreadsheet wrote keeps its carriage returns, and one line of it is changed", async () => {
  const page = await open("/tariffs", { user: "otto" });
  const withReturns = (text: string) => text.replaceAll("\n", "\r\n");
  let saved = "";
  await page.route("**/api/tariffs/**/prices.csv*", async (route) => {
    if (route.request().method() === "GET") {
      const response = await route.fetch();
      const table = (await response.json()) as { text: string };
      await route.fulfill({ response, json: { ...table, text: withReturns(table.text) } });
    } else {
      if (route.request().method() === "PUT") saved = (route.request().postDataJSON() as { text: string }).text;
      await route.continue();
    }
  });
  await page.goto("/tariffs?file=tariff/prices.csv&line=4");
  await page.locator(".cm-activeLine", { hasText: "fixed" }).waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("sms,,,*,,0.20,,,,,");
  await page.getByRole("button", { name: "Save and activate…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 line added, 0 lines removed").waitFor();
  await dialog.getByLabel("Remark").fill("messages have a price");
  await dialog.getByRole("button", { name: "Save and activate" }).click();
  await expect.poll(() => saved).toContain("sms,,,*,,0.20,,,,,\r\n");
  expect(saved.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  await done(page);
});

for (const width of [1280, 390]) {
  it(`a version is edited, tried and loaded, and withdrawn with a reason, at ${width} pixels`, async () => {
    const page = await open("/tariffs", { user: "otto", width });
    const versions = page.getByRole("table", { name: "Versions of wholesale.db" });
    await row(page, 2).getByText("valid now", { exact: true }).waitFor();
    await row(page, 1).getByText("was valid", { exact: true }).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await versions.getByRole("link", { name: "Look at it, version 2 of wholesale.db" }).click();
    const panel = page.getByRole("region", { name: "Version 2 of wholesale.db" });
    await panel.getByLabel("Compare with").selectOption("3");
    await panel.getByRole("region", { name: "Differences of prices.csv" }).getByText(/0\.40/).first().waitFor();
    await panel.getByRole("button", { name: "Edit a copy" }).click();
    const text = panel.getByRole("textbox", { name: "Text of prices.csv" });
    await text.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("sms,,,*,,dear,,,,,");
    const check = panel.getByRole("status", { name: "Check of the plan" });
    await check.getByText("This is no price: dear").waitFor();
    expect(await panel.getByRole("button", { name: "Load as a version…" }).isDisabled()).toBe(true);
    await page.keyboard.press("Shift+Home");
    await page.keyboard.type("sms,,,*,,9.99,,,,,");
    await check.getByText("No mistakes.").waitFor();
    const call = panel.getByRole("form", { name: "What a call costs by wholesale.db" });
    await call.getByLabel("Start").fill("2099-06-01T12:00:00Z");
    await call.getByRole("button", { name: "What does it cost?" }).click();
    await panel.getByText("10.67 SEK").waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await panel.getByRole("button", { name: "Load as a version…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("region", { name: "Changes of prices.csv" }).getByText(/9\.99/).waitFor();
    expect(await barriers(page)).toEqual([]);
    await dialog.getByLabel("Valid from").fill("2020-01-01T00:00");
    await dialog.getByLabel("Time zone").fill("Europe/Stockholm");
    await dialog.getByLabel("Reason").fill("messages have a price");
    await dialog.getByRole("button", { name: "Load it" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/choose a moment to come/i)
      .waitFor();
    await dialog.getByLabel("Valid from").fill("2099-01-01T00:00");
    await dialog.getByRole("button", { name: "Load it" }).click();
    await page
      .getByText("Version 4 of wholesale.db is loaded, valid from 2099-01-01 00:00 Europe/Stockholm on.")
      .waitFor();
    await row(page, 4).getByText("to come", { exact: true }).waitFor();
    await versions.getByRole("button", { name: "Withdraw version 4 of wholesale.db" }).click();
    expect(await dialog.getByRole("button", { name: "Withdraw", exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel("Reason").fill("of another year");
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Withdraw", exact: true }).click();
    await row(page, 4)
      .getByText(/of another year/)
      .waitFor();
    await done(page);
  });
}

it("who may only look sees versions, and changes none; a database without any says what to do", async () => {
  const page = await open("/tariffs", { user: "vera" });
  const versions = page.getByRole("table", { name: "Versions of wholesale.db" });
  await row(page, 3).getByText("to come", { exact: true }).waitFor();
  expect(await versions.getByRole("cell").getByRole("button").count()).toBe(0);
  const partners = page.getByRole("region", { name: "Plan partners.db" });
  await partners.getByText("It has none yet.").waitFor();
  expect(await partners.getByRole("link", { name: "Begin with a first version" }).count()).toBe(0);
  await versions.getByRole("link", { name: "Look at it, version 3 of wholesale.db" }).click();
  const panel = page.getByRole("region", { name: "Version 3 of wholesale.db" });
  await panel.getByRole("textbox", { name: "Text of prices.csv" }).waitFor();
  expect(await panel.getByRole("button", { name: "Edit a copy" }).count()).toBe(0);
  await page.goto("/tariffs?plan=wholesale.db&version=77");
  await page.getByText("There is no such version").waitFor();
  expect(await barriers(page)).toEqual([]);
  await done(page);
});

it("a call is priced by the version that somebody chooses", async () => {
  const page = await open("/tariffs");
  const form = page.getByRole("form", { name: "What a call costs by wholesale.db" });
  await form.getByLabel("Start").fill("2026-06-01T12:00:00Z");
  await form.getByLabel("Priced by").selectOption({ label: "Version 3, Wholesale 2027" });
  await form.getByRole("button", { name: "What does it cost?" }).click();
  await page.getByRole("region", { name: "The price, explained" }).waitFor();
  await done(page);
});

for (const width of [1280, 390]) {
  it(`a database without any is begun with a first version, checked as it is written, at ${width} pixels`, async () => {
    const page = await open("/tariffs", { user: "otto", width, scheme: width === 390 ? "dark" : "light" });
    await page
      .getByRole("region", { name: "Plan partners.db" })
      .getByRole("link", { name: "Begin with a first version" })
      .click();
    const panel = page.getByRole("region", { name: "A first version" });
    await panel.getByLabel("File").selectOption("tariff.toml");
    await panel.getByText("Fjord Mobile 2026").first().waitFor();
    await panel.getByLabel("Begin from").selectOption("The plan in tariff");
    await panel.getByRole("textbox", { name: "Text of prices.csv" }).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("sms,,,*,,dear,,,,,");
    const check = panel.getByRole("status", { name: "Check of the plan" });
    await check.getByText("This is no price: dear").waitFor();
    const load = panel.getByRole("button", { name: "Load as the first version…" });
    expect(await load.isDisabled()).toBe(true);
    await page.keyboard.press("Shift+Home");
    await page.keyboard.type("sms,,,*,,0.20,,,,,");
    await check.getByText("No mistakes.").waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await load.click();
    const dialog = page.getByRole("dialog", { name: "Begin partners.db with a first version" });
    await dialog.getByLabel("Valid from").fill("2020-01-01T00:00");
    await dialog.getByLabel("Time zone").fill("Europe/Stockholm");
    await dialog.getByLabel("Reason").fill("partners are charged");
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Load it" }).click();
    await page.getByText(/Version 1 of partners.db is loaded, valid from 2020-01-01 00:00/).waitFor();
    await page.getByRole("table", { name: "Versions of partners.db" }).getByText("valid now").waitFor();
    await done(page);
  });
}

it("where nothing is rated a plan is begun: its name is checked, and what is there already is not begun again", async () => {
  const page = await open("/tariffs", { user: "otto", isEmpty: true });
  await page.getByRole("link", { name: "Begin a tariff plan" }).click();
  const panel = page.getByRole("region", { name: "A first version" });
  const load = panel.getByRole("button", { name: "Load as the first version…" });
  await load.waitFor();
  await panel.getByLabel("Database").fill("../prices.db");
  await panel.getByText("This is no name of a database").waitFor();
  expect(await load.isDisabled()).toBe(true);
  expect(await barriers(page)).toEqual([]);
  await panel.getByLabel("Database").fill("retail.db");
  expect(await load.isEnabled()).toBe(true);
  expect(await barriers(page)).toEqual([]);
  await done(page);
  const other = await open("/tariffs?view=first", { user: "otto" });
  await panelOf(other).getByLabel("Database").fill("wholesale.db");
  await panelOf(other).getByText("“wholesale.db” is there already").waitFor();
  await done(other);
  const vera = await open("/tariffs?view=first", { user: "vera" });
  await vera.getByText("This is for operators").waitFor();
  await done(vera);
});

it("a plan that cannot be read is begun from no other's files, and neither is one that is not there yet", async () => {
  const page = await open("/tariffs?view=first", { user: "otto" });
  const panel = panelOf(page);
  const load = panel.getByRole("button", { name: "Load as the first version…" });
  const text = panel.getByRole("textbox", { name: "Text of prices.csv" });
  await load.waitFor();
  await text.waitFor();
  const broken = { error: "tariff/prices.csv cannot be read" };
  await page.route("**/api/tariffs/tariff/*", (route) => route.fulfill({ status: 500, json: broken }));
  await panel.getByLabel("Begin from").selectOption("The plan in tariff");
  await panel.getByRole("alert").getByText("tariff/prices.csv cannot be read").waitFor();
  expect(await text.count()).toBe(0);
  expect(await load.count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
  await page.unroute("**/api/tariffs/tariff/*");
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/api/tariffs/tariff/*", async (route) => {
    await held;
    await route.continue();
  });
  await panel.getByLabel("Begin from").selectOption("The example: an invented operator in Sweden");
  await text.waitFor();
  expect(await panel.getByRole("alert").count()).toBe(0);
  await panel.getByLabel("Begin from").selectOption("The plan in tariff");
  await panel.getByText("Asking the gateway…").waitFor();
  expect(await text.count()).toBe(0);
  expect(await load.count()).toBe(0);
  answer();
  await text.getByText(/fixed/).first().waitFor();
  await load.waitFor();
  await done(page);
});

for (const width of [1280, 390]) {
  it(`what was edited goes only if somebody says so when another plan is begun from, at ${width} pixels`, async () => {
    const page = await open("/tariffs?view=first", { user: "otto", width, scheme: width === 390 ? "dark" : "light" });
    const panel = panelOf(page);
    const from = panel.getByLabel("Begin from");
    const text = panel.getByRole("textbox", { name: "Text of prices.csv" });
    await text.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("mine");
    await text.getByText("mine").waitFor();
    await from.selectOption("The plan in tariff");
    const dialog = page.getByRole("dialog", { name: "Give up your changes?" });
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await dialog.getByRole("button", { name: "Go on editing" }).click();
    expect(await from.inputValue()).toBe("example");
    await text.getByText("mine").waitFor();
    await from.selectOption("The plan in tariff");
    await dialog.getByRole("button", { name: "Give them up" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await from.inputValue()).toBe("plan tariff");
    await text.waitFor();
    expect(await text.getByText("mine").count()).toBe(0);
    await from.selectOption("The example: an invented operator in Sweden");
    expect(await from.inputValue()).toBe("example");
    await text.waitFor();
    expect(await dialog.count()).toBe(0);
    await done(page);
  });
}
