/** What rules have found: an analyst works through the cases of it, down to the octets of the records. */
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, isTooWide } from "../seen.ts";
import { invited, open, picture, run, useGateway, welcome } from "./gateway.ts";

/** A rule that gives one of the callers more points than the others have, and one that is only tried out. */
const RULES = {
  watched: `about = "caller"
where = 'record.caller == "0099000000"'
at-least = 1
within = "1 minute"
again = "1 day"
score = 15
title = "a caller that is watched"
owner = "anna"
actions = ["bar"]
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

/** An action that writes the key into a file. A person approves it, and the version of a rule that requests it. */
const ACTIONS = `rules-approved-by = "one person"

[action.bar]
command = ["sh", "-c", "echo bar $0 >> barred", "{key}"]
undo = ["sh", "-c", "echo unbar $0 >> barred", "{key}"]

[privacy]
unmask = "viewer"
`;

/** The example of rules, with files of five switches in which four callers ring many numbers. */
const gateway = useGateway((_, folder) => {
  cpSync(resolve("../../../examples/fraud"), folder, { recursive: true });
  for (const [name, text] of Object.entries(RULES)) writeFileSync(join(folder, `rules/${name}.toml`), text);
  run(folder, "simulate", "fraud", ".", "--files", "800", "--wangiri", "4");
  const flow = readFileSync(join(folder, "flow.toml"), "utf8").replace(/^rules\b.*$/m, '$&\nlists = "lists"');
  return `${flow}\n${ACTIONS}`;
});

/** What was done to numbers, a line each. */
function barred(): string[] {
  const file = join(gateway.folder, "barred");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

const queue = (page: Page) => page.getByRole("table", { name: "Cases" });

/**
 * Opens the records of an alert, and compares their number with the list. The gateway has 20, or fewer where the alert
 * is about the time of a record that was late: files come in another order each time.
 */
async function opened(row: Locator): Promise<void> {
  const records = row.getByText(/^\d+ records$/);
  await records.click();
  const count = Number.parseInt(await records.innerText(), 10);
  expect(count).toBeLessThanOrEqual(20);
  expect(await row.getByRole("listitem").count()).toBe(count);
}

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
  await opened(row);
  await row
    .getByRole("link", { name: /\.ber, \d+/ })
    .first()
    .click();
  await anna.getByText("0099000000").first().waitFor();
  await anna.goBack();
  await anna.getByRole("searchbox", { name: "Key" }).fill("0099000009");
  await anna.keyboard.press("Enter");
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
  await opened(row);
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

const tab = (name: string) =>
  anna.getByRole("navigation", { name: "Parts of fraud" }).getByRole("link", { name, exact: true }).click();

const part = (name: string) => anna.getByRole("region", { name, exact: true });

/** Gives the reason in the dialog, and answers it. */
async function answer(name: string, reason?: string): Promise<void> {
  const dialog = anna.getByRole("dialog");
  if (reason !== undefined) await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByRole("button", { name, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

it("a rule acts once its version and its action are approved, and what it did is undone", async () => {
  await anna.goto("/fraud/actions");
  const waits = part("Waiting for people").getByRole("row").filter({ hasText: "0099000000" });
  await waits.getByRole("link", { name: "the version of its rule is not approved" }).click();
  const rule = anna.getByRole("table", { name: "Rules" }).getByRole("row").filter({ hasText: "watched" });
  await rule.getByText("a caller that is watched").waitFor();
  await rule.getByRole("button", { name: "Approve version…" }).click();
  await answer("Approve", "tried out for a week");
  await anna.getByText("watched may act.").waitFor();
  await rule.getByText("approved", { exact: true }).waitFor();
  // A rule without an alert runs, too.
  await anna.getByRole("row").filter({ hasText: "a thousand indications of a caller in an hour" }).waitFor();
  await tab("Actions");
  await waits.getByText("needs approval").waitFor();
  expect(barred()).toEqual([]);
  await picture(anna, "fraud-actions");
  await waits.getByRole("checkbox").click();
  await anna.getByRole("button", { name: "Approve 1 action…" }).click();
  await answer("Approve");
  const finished = part("Finished").getByRole("row").filter({ hasText: "0099000000" });
  await finished.getByText("done", { exact: true }).waitFor();
  await finished.getByText("approved by anna").waitFor();
  expect(barred()).toEqual(["bar 0099000000"]);
  await finished.getByRole("checkbox").click();
  await anna.getByRole("button", { name: "Undo 1 action…" }).click();
  await answer("Undo", "the number is a call centre");
  await finished.getByText("undone", { exact: true }).waitFor();
  expect(barred()).toEqual(["bar 0099000000", "unbar 0099000000"]);
});

it("while actions are stopped, what a person requests about a case waits, and is done when they are resumed", async () => {
  await anna.getByRole("button", { name: "Stop all actions…" }).click();
  await answer("Stop all actions", "the switch is repaired");
  const banner = anna.getByRole("status").filter({ hasText: "All actions are stopped. None is sent" });
  await banner.getByText("the switch is repaired").waitFor();
  await tab("Cases");
  await queue(anna).getByRole("link", { name: "0099000000" }).click();
  await banner.getByText("anna").waitFor();
  await anna.getByRole("button", { name: "Request an action…" }).click();
  await anna.getByRole("dialog").getByRole("button", { name: "bar", exact: true }).click();
  await answer("Request", "it rings again");
  const requested = anna.getByRole("table", { name: "Actions" }).getByRole("row").filter({ hasText: "it rings again" });
  // Who requests it is the first person who approves it.
  await requested.getByText("to be sent").waitFor();
  await anna.getByRole("table", { name: "What was done" }).getByText("action requested: bar").waitFor();
  await anna.goto("/fraud/actions");
  const sending = part("Being sent").getByRole("row").filter({ hasText: "0099000000" });
  await sending.getByText("to be sent").waitFor();
  expect(barred().length).toBe(2);
  for (const [width, colorScheme] of [
    [390, "dark"],
    [1280, "light"],
  ] as const) {
    await anna.emulateMedia({ colorScheme });
    await anna.setViewportSize({ width, height: 800 });
    expect(await barriers(anna)).toEqual([]);
    expect(await isTooWide(anna)).toBe(false);
  }
  await banner.getByRole("button", { name: "Resume…" }).click();
  await answer("Resume", "it is repaired");
  await part("Finished").getByRole("row").filter({ hasText: "it rings again" }).getByText("done").waitFor();
  expect(barred()).toEqual(["bar 0099000000", "unbar 0099000000", "bar 0099000000"]);
  await anna.goto("/trail");
  for (const [action, reason] of [
    ["fraud activate", "tried out for a week"],
    ["action undo", "the number is a call centre"],
    ["action stop", "the switch is repaired"],
    ["action request", "it rings again"],
    ["action resume", "it is repaired"],
  ] as const)
    await anna.getByRole("row").filter({ hasText: action }).getByText(reason).first().waitFor();
});

/** Replaces the text in the editor. */
async function write(file: string, text: string): Promise<void> {
  await anna.getByRole("textbox", { name: `Text of ${file}` }).click();
  await anna.keyboard.press("Control+a");
  await anna.keyboard.insertText(text);
}

it("a rule is changed, mended, tried on the files that came, and activated; a new one is begun", async () => {
  await anna.goto("/fraud/rules");
  await anna.getByRole("table", { name: "Rules" }).getByRole("link", { name: "tried", exact: true }).click();
  const file = "rules/tried.toml";
  const check = anna.getByRole("status", { name: "Check of the file" });
  await check.getByText("No mistakes.").waitFor();
  await write(file, RULES.tried.replace("caller", "caler"));
  await check.getByRole("button", { name: "Line 1, column 10" }).waitFor();
  await picture(anna, "fraud-rule");
  const rare = RULES.tried.replace("at-least = 20", "at-least = 100000");
  await write(file, rare);
  await check.getByText("No mistakes.").waitFor();
  await anna.getByRole("link", { name: "Try on yesterday’s files" }).click();
  const form = anna.getByRole("form", { name: "What is to be tried" });
  await form.getByLabel("Files at most").fill("1000");
  await form.getByRole("button", { name: "Try it" }).click();
  const alerts = anna.getByRole("table", { name: "Alerts by rule" }).getByRole("row", { name: /^tried/ });
  await alerts.waitFor({ timeout: 60_000 });
  expect(await alerts.innerText()).toMatch(/4\.0\s+0\.0/);
  await anna.getByRole("link", { name: `To ${file}` }).click();
  const dialog = anna.getByRole("dialog");
  const activate = async (remark: string) => {
    await anna.getByRole("button", { name: "Save and activate…" }).click();
    await dialog.getByLabel("Remark").fill(remark);
    await dialog.getByRole("button", { name: "Save and activate", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await activate("too many callers");
  await expect.poll(() => readFileSync(join(gateway.folder, file), "utf8")).toBe(rare);
  await tab("Rules");
  await anna.getByRole("button", { name: "New rule…" }).click();
  await dialog.getByLabel("Name").fill("many-rings");
  await dialog.getByRole("button", { name: "Write it" }).click();
  await check.getByText("No mistakes.").waitFor();
  await activate("tried out first");
  const files = anna.getByRole("navigation", { name: "Files of rules" });
  await files.getByRole("link", { name: "rules/many-rings.toml", exact: true }).waitFor();
  await tab("Rules");
  const begun = anna.getByRole("table", { name: "Rules" }).getByRole("row").filter({ hasText: "many-rings" });
  await begun.getByText("tried out: opens no case").waitFor();
});

it("a list is made of a file, and the key of a case is added to it", async () => {
  await tab("Lists");
  await anna.getByText("There is no list yet").waitFor();
  await anna.getByRole("button", { name: "New list…" }).click();
  const dialog = anna.getByRole("dialog");
  const csv = (text: string) => ({ name: "offices.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await dialog.getByLabel("Name").fill("offices");
  await dialog.getByLabel("File").setInputFiles(csv("key,until\n00990000*,soon\n"));
  await dialog.getByRole("button", { name: "Show the differences" }).click();
  await dialog.getByText("Line 2, column 11").waitFor();
  await dialog.getByLabel("File").setInputFiles(csv("key,until,because\n0700*,2020-01-01,a mobile\n0800*,,free\n"));
  await dialog.getByRole("button", { name: "Show the differences" }).click();
  await dialog.getByText("2 added, 0 removed, 0 changed.").waitFor();
  await answer("Apply", "who may ring many");
  const entries = anna.getByRole("table", { name: "Entries" }).getByRole("row");
  await entries.filter({ hasText: "0700*" }).getByText("over", { exact: true }).waitFor();
  await tab("Cases");
  await queue(anna).getByRole("link", { name: "0099000000" }).click();
  await anna.getByRole("button", { name: "Add to a list…" }).click();
  await dialog.getByLabel("List").selectOption("offices");
  await dialog.getByLabel("Until").fill("2099-01-31");
  await answer("Add", "the tax office");
  await anna.getByRole("link", { name: "All cases" }).click();
  await tab("Lists");
  await anna.getByRole("table", { name: "Lists" }).getByRole("link", { name: "offices" }).click();
  const added = entries.filter({ hasText: "0099000000" });
  for (const text of ["2099-01-31", "the tax office", "anna"]) await added.getByText(text).waitFor();
  await picture(anna, "fraud-list");
  await anna.getByRole("searchbox", { name: "Key" }).fill("080012");
  await anna.keyboard.press("Enter");
  await expect.poll(() => entries.count()).toBe(2);
  await anna.getByRole("searchbox", { name: "Key" }).fill("");
  await anna.keyboard.press("Enter");
  await entries.filter({ hasText: "0700*" }).getByRole("button", { name: "Remove 0700*…" }).click();
  await answer("Remove", "its time is over");
  await expect.poll(() => entries.count()).toBe(3);
  const file = readFileSync(join(gateway.folder, "lists/offices.csv"), "utf8");
  expect(file).toMatch(/0099000000,,2099-01-31,,anna,the tax office/);
  expect(file).not.toContain("0700*");
});

it("the screen of the shift has what waits, and the last alerts", async () => {
  await tab("Shift");
  const tiles = anna.getByRole("list", { name: "What waits" });
  await tiles
    .getByRole("link", { name: /^Critical cases/ })
    .getByText("none open")
    .waitFor();
  await tiles.getByRole("link", { name: /^Unassigned/ }).waitFor();
  await part("Last alerts").getByRole("listitem").first().waitFor();
  expect(await part("Last alerts").getByText("0099000000").count()).toBeGreaterThan(0);
  await picture(anna, "fraud-shift");
  for (const [width, colorScheme] of [
    [390, "dark"],
    [1280, "light"],
  ] as const) {
    await anna.emulateMedia({ colorScheme });
    await anna.setViewportSize({ width, height: 800 });
    expect(await barriers(anna)).toEqual([]);
    expect(await isTooWide(anna)).toBe(false);
  }
});

it("all about a subject is shown, and erased for ever", async () => {
  const subject = anna.getByRole("searchbox", { name: "Subject" });
  await subject.fill("0099000001");
  await anna.keyboard.press("Enter");
  await anna.getByRole("table", { name: "Cases" }).getByText("busy, and called twice").first().waitFor();
  await anna.getByRole("table", { name: "Alerts" }).getByText("wangiri").first().waitFor();
  await anna.getByRole("table", { name: "Views" }).getByText('all about "0099000001"').first().waitFor();
  await picture(anna, "fraud-subject");
  await anna.getByRole("button", { name: "Erase…" }).click();
  const dialog = anna.getByRole("dialog");
  await dialog.getByLabel("The key, once more").fill("0099000001");
  const erase = dialog.getByRole("button", { name: "Erase", exact: true });
  await dialog.getByLabel("Reason").fill("0099000001 wants it");
  await erase.click();
  await dialog.getByText("reason-names-subject").waitFor();
  await answer("Erase", "a letter of Monday");
  const erased = anna.getByRole("region", { name: "Erased" });
  await erased.getByText(/\d alerts?, .*1 case/).waitFor();
  await anna.getByText("Nothing is stored about this key").waitFor();
  await erased.getByRole("link", { name: /^erased-\d+$/ }).click();
  await anna.getByRole("table", { name: "Cases" }).getByText("not fraud", { exact: true }).waitFor();
  expect(await anna.getByText("busy, and called twice").count()).toBe(0);
});

it("a viewer sees masked keys, and decides nothing", async () => {
  const vera = await invited(gateway, anna, "vera", "viewer");
  await vera.goto("/fraud");
  await vera.getByText("Keys are masked").waitFor();
  await queue(vera).getByRole("link").first().click();
  await vera.getByRole("heading", { level: 1, name: /^Case \d+$/ }).waitFor();
  await vera.getByText("Keys are masked").waitFor();
  expect(await vera.getByText("0099000000").count()).toBe(0);
  expect(await vera.getByRole("button", { name: /^(Assign to|Assign…|Decide|Remark)/ }).count()).toBe(0);
  await vera.getByRole("button", { name: "Show the number…" }).click();
  await vera.getByRole("dialog").getByLabel("Reason").fill("a police officer rang");
  await vera.getByRole("button", { name: "Show it" }).click();
  await vera.getByText("You see this case unmasked.").waitFor();
  await vera.getByText("0099000000").first().waitFor();
  await vera.goto("/fraud/subject?key=0099000000");
  await vera.getByText("subscriber-data-hidden").waitFor();
  await anna.goto("/trail");
  await anna.getByRole("row").filter({ hasText: "fraud unmask" }).getByText("a police officer rang").waitFor();
  await vera.close();
  await anna.close();
});
