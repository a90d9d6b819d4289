/** What rules have found: an analyst works through the cases of it, down to the octets of the records. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, isTooWide } from "../seen.ts";
import { open, picture, run, useGateway, welcome } from "./gateway.ts";

/** A rule that gives one of the callers more points than the others have, and one that is only tried out. */
const RULES = {
  watched: `about = "caller"
where = 'record.caller == "0099000000"'
at-least = 1
within = "1 minute"
again = "1 day"
score = 15
`,
  tried: `about = "caller"
where = "record.kind == callRelease"
at-least = 20
within = "10 minutes"
again = "1 day"
score = 80
mode = "shadow"
`,
};

/** The example of rules, with files of five switches in which four callers ring many numbers. */
const gateway = useGateway((_, folder) => {
  cpSync(resolve("../../../examples/fraud"), folder, { recursive: true });
  for (const [name, text] of Object.entries(RULES)) writeFileSync(join(folder, `rules/${name}.toml`), text);
  run(folder, "simulate", "fraud", ".", "--files", "800", "--wangiri", "4");
  return readFileSync(join(folder, "flow.toml"), "utf8");
});

const queue = (page: Page) => page.getByRole("table", { name: "Cases" });

let anna: Page;

it("an alert says why, and leads to its record", async () => {
  anna = await open(gateway, gateway.link);
  await welcome(anna, "anna");
  await anna.getByRole("link", { name: "Fraud" }).click();
  await anna.getByRole("navigation", { name: "Parts of fraud" }).getByRole("link", { name: "Alerts" }).click();
  const rows = anna.getByRole("table", { name: "Alerts" }).getByRole("row");
  const found = rows.filter({ hasText: "wangiri" });
  await expect
    .poll(
      async () => {
        await anna.getByRole("button", { name: "Look again" }).click();
        return found.count();
      },
      { timeout: 30_000 },
    )
    .toBe(4);
  const row = found.filter({ hasText: "0099000000" });
  const text = await row.innerText();
  expect(text).toContain("0099000000");
  expect(text).toMatch(/numbers 4\d >= 40/);
  await row.getByText("20 records").click();
  expect(await row.getByRole("listitem").count()).toBe(20);
  await row
    .getByRole("link", { name: /\.ber, \d+/ })
    .first()
    .click();
  await anna.getByText("0099000000").first().waitFor();
  await anna.goBack();
  await anna.getByRole("searchbox", { name: "Key" }).fill("0099000009");
  await anna.getByText("No such alert").waitFor();
});

it("an analyst opens the case with the most points, and its evidence leads to the octets", async () => {
  await anna.getByRole("navigation", { name: "Parts of fraud" }).getByRole("link", { name: "Cases" }).click();
  await queue(anna).getByRole("link", { name: "0099000000" }).waitFor();
  const points = queue(anna).locator("td[data-label=Points]");
  expect(await points.allInnerTexts()).toEqual(["85", "70", "70", "70"]);
  expect(await queue(anna).getByRole("row").nth(1).innerText()).toContain("0099000000");
  await picture(anna, "fraud");
  await anna.keyboard.press("j");
  await anna.keyboard.press("Enter");
  await anna.getByRole("heading", { level: 1, name: /^Case \d+$/ }).waitFor();
  await anna.getByText("70 points, 1 alert").waitFor();
  await anna.getByText("15 points, 1 alert").waitFor();
  await picture(anna, "fraud-case");
  for (const [width, colorScheme] of [
    [390, "dark"],
    [1280, "light"],
  ] as const) {
    await anna.emulateMedia({ colorScheme });
    await anna.setViewportSize({ width, height: 800 });
    expect(await barriers(anna)).toEqual([]);
    expect(await isTooWide(anna)).toBe(false);
  }
  const row = anna.getByRole("table", { name: "Alerts" }).getByRole("row").filter({ hasText: "wangiri" });
  await row.getByText("20 records").click();
  await row
    .getByRole("listitem")
    .last()
    .getByRole("link", { name: /\.ber, \d+/ })
    .click();
  await anna.getByRole("heading", { level: 1, name: "Records" }).waitFor();
  await anna.getByText("0099000000").first().waitFor();
  await anna.getByRole("group", { name: /^Octets of the record/ }).waitFor();
  await anna.goBack();
  await anna.getByRole("heading", { level: 1, name: /^Case \d+$/ }).waitFor();
});

it("what is decided leaves the queue, counts for its rules, and can be opened again", async () => {
  await anna.getByRole("button", { name: "Assign to me" }).click();
  await anna.getByText("1 case assigned to anna.").waitFor();
  await anna.getByRole("button", { name: "Decide…" }).click();
  const dialog = anna.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Fraud", exact: true }).click();
  await dialog.getByLabel("Reason").fill("subscribers who called back paid");
  await dialog.getByRole("button", { name: "Decide" }).click();
  const steps = anna.getByRole("table", { name: "What was done" });
  await steps.getByText("decided: fraud").waitFor();
  await anna.getByRole("link", { name: "All cases" }).click();
  await queue(anna).getByRole("link", { name: "0099000001" }).waitFor();
  expect(await queue(anna).getByRole("link", { name: "0099000000" }).count()).toBe(0);
  await anna.getByRole("navigation", { name: "Parts of fraud" }).getByRole("link", { name: "Rules" }).click();
  const rules = anna.getByRole("table", { name: "Rules" }).getByRole("row");
  const wangiri = rules.filter({ hasText: "wangiri" });
  await wangiri.getByText("100 %").waitFor();
  await rules.filter({ hasText: "tried out: opens no case" }).getByText("4", { exact: true }).waitFor();
  await wangiri.locator("td[data-label=Cases]").getByRole("link").click();
  await queue(anna).getByText("subscribers who called back paid").waitFor();
  await queue(anna).getByRole("link", { name: "0099000000" }).click();
  await anna.getByRole("button", { name: "Open again…" }).click();
  await dialog.getByLabel("Reason").fill("another caller of the range");
  await dialog.getByRole("button", { name: "Open again" }).click();
  await steps.getByText("another caller of the range").waitFor();
  await anna.getByRole("link", { name: "All cases" }).click();
  const first = queue(anna).getByRole("row").nth(1);
  await first.getByRole("link", { name: "0099000000" }).waitFor();
  await first.getByText("anna").waitFor();
});

it("several cases are decided in one go, and all of it is in the trail", async () => {
  const all = queue(anna).getByRole("row");
  expect(await all.count()).toBe(5);
  await all.nth(2).getByRole("checkbox").click();
  await all.nth(3).getByRole("checkbox").click();
  await anna.getByRole("button", { name: "Decide 2 cases…" }).click();
  await anna.getByRole("dialog").getByRole("radio", { name: "Not fraud" }).click();
  await anna.getByRole("dialog").getByLabel("Reason").fill("busy, and called twice");
  await anna.keyboard.press("Enter");
  await anna.getByText("2 cases decided: not fraud.").waitFor();
  await expect.poll(() => all.count()).toBe(3);
  await anna.goto("/trail");
  await anna
    .getByRole("row", { name: /fraud decide/ })
    .filter({ hasText: "busy, and called twice" })
    .first()
    .waitFor();
  await anna
    .getByRole("row", { name: /fraud reopen/ })
    .getByText("another caller of the range")
    .waitFor();
});

it("a viewer sees masked keys, and decides nothing", async () => {
  await anna.goto("/people");
  await anna.getByRole("button", { name: /^Invite/ }).click();
  const dialog = anna.getByRole("dialog");
  await dialog.getByLabel("Name").fill("vera");
  await dialog.getByLabel("Role").selectOption("viewer");
  await dialog.getByRole("button", { name: /link/i }).click();
  const link = dialog.getByLabel("One-time link");
  await expect.poll(() => link.inputValue()).toMatch(/\/welcome#/);
  const vera = await open(gateway, (await link.inputValue()).replace(/^.*\/welcome/, "/welcome"));
  await welcome(vera);
  await vera.goto("/fraud");
  await vera.getByText("Keys are masked").waitFor();
  await queue(vera).getByRole("link").first().click();
  await vera.getByRole("heading", { level: 1, name: /^Case \d+$/ }).waitFor();
  await vera.getByText("Keys are masked").waitFor();
  expect(await vera.getByText("0099000000").count()).toBe(0);
  expect(await vera.getByRole("button", { name: /^(Assign to|Assign…|Decide|Remark)/ }).count()).toBe(0);
  await vera.close();
  await anna.close();
});
