/** An analyst works through the queue of cases, by mouse and by keys. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { barriers, done, isTooWide, open, settled, useGateway } from "./gateway.ts";

useGateway();

const queue = (page: Page) => page.getByRole("table", { name: "Cases" });

const caseLink = (page: Page, name: string) => queue(page).getByRole("link", { name });

const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("data-row"));

describe("the queue", () => {
  it("has open cases, those with the most points first", async () => {
    const page = await open("/fraud", { user: "otto" });
    const first = queue(page).getByRole("row").nth(1);
    await first.getByText("160").waitFor();
    await first.getByText("critical").waitFor();
    await first.getByText("0099000001\\u202e").waitFor();
    await first.getByText("risk-ranges, wangiri").waitFor();
    await first.getByText("caller, case 17").waitFor();
    expect(await queue(page).getByRole("row").count()).toBe(16);
    await done(page);
  });

  it("decides chosen cases in one go, with one reason", async () => {
    const page = await open("/fraud", { user: "otto" });
    const decide = page.getByRole("button", { name: /^Decide/ });
    await caseLink(page, "0099000001").waitFor();
    expect(await decide.isDisabled()).toBe(true);
    await page.getByRole("checkbox", { name: "Choose case 20:" }).click();
    await page.getByRole("checkbox", { name: "Choose case 21:" }).click();
    await page.getByRole("button", { name: "Decide 2 cases…" }).click();
    const dialog = page.getByRole("dialog", { name: "Decide 2 cases" });
    const answer = dialog.getByRole("button", { name: "Decide" });
    await dialog.getByLabel("Reason").fill("a machine that calls twice");
    // A reason alone is no decision.
    expect(await answer.isDisabled()).toBe(true);
    await dialog.getByRole("radio", { name: "Not fraud" }).click();
    expect(await barriers(page)).toEqual([]);
    await answer.click();
    await page.getByText("2 cases decided: not fraud.").waitFor();
    await expect.poll(() => queue(page).getByRole("row").count()).toBe(14);
    await page.getByLabel("State").selectOption("decided");
    const row = queue(page).getByRole("row").filter({ hasText: "case 21" });
    await row.getByText("not fraud", { exact: true }).waitFor();
    await row.getByText("a machine that calls twice").waitFor();
    await done(page);
  });

  it("assigns chosen cases, and shows what is assigned to the user or free", async () => {
    const page = await open("/fraud", { user: "otto" });
    await page.getByRole("checkbox", { name: "Choose case 17:" }).click();
    await page.getByRole("button", { name: "Assign to me" }).click();
    await page.getByText("1 case assigned to otto.").waitFor();
    await page.getByRole("checkbox", { name: "Choose case 20:" }).click();
    await page.getByRole("button", { name: "Assign…" }).click();
    await page.getByRole("dialog").getByLabel("User").fill("anna");
    await page.keyboard.press("Enter");
    await page.getByText("1 case assigned to anna.").waitFor();
    await page.getByLabel("Assigned").selectOption("to me");
    await expect.poll(() => queue(page).getByRole("row").count()).toBe(2);
    await page.getByLabel("Assigned").selectOption("to no one");
    // Nils has one.
    await expect.poll(() => queue(page).getByRole("row").count()).toBe(13);
    await page.getByLabel("Assigned").selectOption("to me");
    await page.getByRole("checkbox", { name: "Choose case 17:" }).click();
    await page.getByRole("button", { name: "Assign…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "To no one" }).click();
    await page.getByText("1 case assigned to no one.").waitFor();
    await page.getByText("No such case").waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await caseLink(page, "0099000001").waitFor();
    await done(page);
  });

  it("narrows to a rule and to a key", async () => {
    const page = await open("/fraud?rule=wangiri", { user: "otto" });
    await expect.poll(() => queue(page).getByRole("row").count()).toBe(2);
    await page.getByLabel("Rule").fill("");
    const searches: string[] = [];
    page.on("request", (request) => searches.push(...(request.url().match(/(?<=key=).*/) ?? [])));
    await page.getByLabel("Key").pressSequentially("0000021712>0000000050");
    await page.keyboard.press("Enter");
    await caseLink(page, "0000021712>0000000050").waitFor();
    await expect.poll(() => queue(page).getByRole("row").count()).toBe(2);
    // Each search is in the audit trail.
    expect(new Set(searches.map((key) => key.split("&")[0])).size).toBe(1);
    await done(page);
  });

  it("is worked through by keys alone", async () => {
    const page = await open("/fraud", { user: "otto" });
    await caseLink(page, "0099000001").waitFor();
    await page.keyboard.press("j");
    expect(await focused(page)).toBe("17");
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("21");
    await page.keyboard.press("k");
    expect(await focused(page)).toBe("20");
    await page.keyboard.press("x");
    expect(await page.getByRole("checkbox", { name: "Choose case 20:" }).isChecked()).toBe(true);
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: "Decide 2 cases" });
    expect(await dialog.getByRole("radio", { name: "Not fraud" }).isChecked()).toBe(true);
    // The reason has the focus: letters are no keys there.
    await page.keyboard.type("just a fax");
    await page.keyboard.press("Enter");
    await page.getByText("2 cases decided: not fraud.").waitFor();
    await expect.poll(() => queue(page).getByRole("row").count()).toBe(14);
    await caseLink(page, "0000021712>0000000049").focus();
    await page.keyboard.press("x");
    // Another row than the chosen one: that stays chosen.
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await page.getByText("1 case assigned to otto.").waitFor();
    expect(await page.getByRole("checkbox", { name: "Choose case 22:" }).isChecked()).toBe(true);
    await expect.poll(() => queue(page).getByRole("row").filter({ hasText: "case 23" }).innerText()).toContain("otto");
    await caseLink(page, "0099000001").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Case 17" }).waitFor();
    await done(page);
  });

  it("takes no keys while something is typed", async () => {
    const page = await open("/fraud", { user: "otto" });
    await caseLink(page, "0099000001").waitFor();
    await page.getByLabel("Rule").focus();
    await page.keyboard.type("jfanx");
    expect(await page.getByLabel("Rule").inputValue()).toBe("jfanx");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await done(page);
  });

  it("shows a viewer masked keys and nothing to do", async () => {
    const page = await open("/fraud", { user: "vera" });
    await page.getByText("Keys are masked").waitFor();
    const first = queue(page).getByRole("row").nth(1);
    await first.getByText("009…").waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await page.getByRole("button", { name: /^(Assign to|Assign…|Decide)/ }).count()).toBe(0);
    await page.keyboard.press("j");
    await page.keyboard.press("f");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByLabel("Key").fill("0099000001");
    await page.keyboard.press("Enter");
    await page.getByText("a search by key needs the role operator").waitFor();
    await done(page);
  });
});

for (const width of [1280, 390]) {
  it(`a case says why it is one, and is decided and opened again, at ${width} pixels`, async () => {
    const page = await open("/fraud/cases/17", { user: "otto", width });
    await page.getByRole("heading", { level: 1, name: "Case 17" }).waitFor();
    await page.getByText("90 points, 2 alerts").waitFor();
    await page.getByText("70 points, 3 alerts").waitFor();
    const alerts = page.getByRole("table", { name: "Alerts" });
    await alerts.getByText("numbers 40 >= 40").first().waitFor();
    await alerts.getByText("3 records").first().click();
    await alerts.getByText("of a file that is no longer known").first().waitFor();
    await page.getByRole("table", { name: "Other cases" }).getByRole("link", { name: "case 9" }).waitFor();
    await page.getByRole("button", { name: "Assign to me" }).click();
    await page.getByText("1 case assigned to otto.").waitFor();
    await page.getByRole("button", { name: "Remark…" }).click();
    await page.getByRole("dialog").getByLabel("Remark").fill("rang its carrier");
    await page.keyboard.press("Enter");
    const steps = page.getByRole("table", { name: "What was done" });
    await steps.getByText("rang its carrier").waitFor();
    await steps.getByText("assigned to otto").waitFor();
    await page.getByRole("button", { name: "Decide…" }).click();
    const dialog = page.getByRole("dialog", { name: "Decide case 17" });
    await dialog.getByRole("radio", { name: "Fraud", exact: true }).click();
    await dialog.getByLabel("Reason").fill("the carrier knows the range");
    expect(await isTooWide(page)).toBe(false);
    await page.keyboard.press("Enter");
    await steps.getByText("decided: fraud").waitFor();
    expect(await page.getByRole("button", { name: /^(Assign to|Assign…|Decide)/ }).count()).toBe(0);
    await page.getByRole("button", { name: "Open again…" }).click();
    await page.getByRole("dialog").getByLabel("Reason").fill("it goes on");
    await page.keyboard.press("Enter");
    await steps.getByText("opened again").waitFor();
    await page.getByRole("button", { name: "Decide…" }).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await done(page);
  });
}

it("a mark of the time line leads to its alert", async () => {
  const page = await open("/fraud/cases/17", { user: "otto" });
  await page.locator(".lane-mark").first().click();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toMatch(/^alert-\d+$/);
  await done(page);
});

it("a decided case whose key has an open one is not opened again, and leads on", async () => {
  const page = await open("/fraud/cases/9", { user: "otto" });
  const again = page.getByRole("button", { name: "Open again…" });
  await again.waitFor();
  expect(await again.isDisabled()).toBe(true);
  await page.getByRole("link", { name: "Next open case" }).click();
  await page.getByRole("heading", { level: 1, name: "Case 17" }).waitFor();
  await page.getByRole("link", { name: "Next open case" }).click();
  await page.getByRole("heading", { level: 1, name: "Case 20" }).waitFor();
  await done(page);
});

it("a viewer sees a case with masked keys, and changes nothing", async () => {
  const page = await open("/fraud/cases/17", { user: "vera" });
  await page.getByText("Keys are masked").waitFor();
  await settled(page);
  expect(await page.getByText("0099000001").count()).toBe(0);
  expect(await page.getByRole("button", { name: /^(Assign to|Assign…|Decide|Remark)/ }).count()).toBe(0);
  await done(page);
});

it("a viewer sees one case unmasked for a reason, until it is left", async () => {
  const page = await open("/fraud/cases/17", { user: "vera" });
  await page.getByRole("button", { name: "Show the number…" }).click();
  const dialog = page.getByRole("dialog", { name: "Show the number of case 17?" });
  const show = dialog.getByRole("button", { name: "Show it" });
  expect(await show.isDisabled()).toBe(true);
  await dialog.getByLabel("Reason").fill("a police officer rang");
  expect(await barriers(page)).toEqual([]);
  await show.click();
  await page.getByText("You see this case unmasked.").waitFor();
  await page.getByText("0099000001\\u202e").first().waitFor();
  // All about the key is not for viewers, so nothing leads there.
  expect(await page.getByRole("link", { name: "0099000001" }).count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Mask it" }).click();
  await page.getByText("Keys are masked").waitFor();
  expect(await page.getByText("0099000001").count()).toBe(0);
  await page.getByRole("button", { name: "Show the number…" }).waitFor();
  await page.goto("/trail");
  const entry = page.getByRole("row").filter({ hasText: "fraud unmask" });
  await entry.getByText("a police officer rang").waitFor();
  await done(page);
});

it("a case that is none leads back", async () => {
  const page = await open("/fraud/cases/4711");
  await page.getByText("there is no case 4711").waitFor();
  await page.getByRole("link", { name: "All cases" }).click();
  await caseLink(page, "0099000001").waitFor();
  await done(page);
});

it("rules have their precision, and lead to their cases and alerts", async () => {
  const page = await open("/fraud/rules", { user: "vera" });
  const rules = page.getByRole("table", { name: "Rules" });
  const wangiri = rules.getByRole("row").filter({ hasText: "wangiri" });
  await wangiri.getByText("50 %").waitFor();
  await wangiri.getByText("24 min").waitFor();
  await rules.getByRole("row").filter({ hasText: "new-and-dear" }).getByText("tried out: opens no case").waitFor();
  await wangiri.getByRole("link", { name: "3", exact: true }).click();
  await expect.poll(() => queue(page).getByRole("row").count()).toBe(4);
  expect(new URL(page.url()).search).toBe("?state=all&rule=wangiri");
  await page.getByRole("link", { name: "Alerts" }).click();
  const alerts = page.getByRole("table", { name: "Alerts" });
  await alerts.getByRole("link", { name: "case 9" }).click();
  await page.getByRole("heading", { level: 1, name: "Case 9" }).waitFor();
  await done(page);
});

it("a report has what was found by rule, by type and day by day", async () => {
  const page = await open("/fraud/reports", { user: "vera" });
  const report = page.getByRole("table", { name: "Fraud report by rule" });
  await report.getByRole("row").filter({ hasText: "wangiri" }).waitFor();
  await page.getByRole("figure").getByText("Alerts, by day in UTC").waitFor();
  await page.getByLabel("By", { exact: true }).selectOption("element");
  const elements = page.getByRole("table", { name: "Fraud report by network element" });
  await elements.getByRole("columnheader", { name: "Too late" }).waitFor();
  expect(await elements.getByRole("columnheader", { name: "Actions" }).count()).toBe(0);
  expect(new URL(page.url()).search).toBe("?by=element");
  await done(page);
});
