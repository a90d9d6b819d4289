/** Actions that rules and people request: approved, refused, undone and stopped, on their page and on that of a case. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import { PASSWORD } from "../fake/world.ts";
import { address, barriers, done, isTooWide, open, settled, useGateway } from "./gateway.ts";

useGateway();

const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

const rowsOf = (page: Page, name: string) => part(page, name).getByRole("row");

const row = (page: Page, name: string, id: number) => rowsOf(page, name).filter({ hasText: `action ${id}` });

const choose = (page: Page, id: number) => page.getByRole("checkbox", { name: `Choose action ${id}:` }).click();

/** The request of another user, without the page. */
async function as(page: Page, user: string, path: string, data: unknown): Promise<void> {
  const login = await fetch(`${address()}/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: user, password: PASSWORD }),
  });
  const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
  const { csrf } = (await login.json()) as { csrf: string };
  const answer = await fetch(`${address()}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie, "x-csrf-token": csrf },
    body: JSON.stringify(data),
  });
  expect(answer.status, await answer.text()).toBe(200);
  expect(page.isClosed()).toBe(false);
}

describe("the page of actions", () => {
  it("has what waits for people first, with why, then what is sent, then what is finished", async () => {
    const page = await open("/fraud/actions", { user: "otto" });
    await row(page, "Waiting for people", 63).getByText("needs approval").waitFor();
    await row(page, "Waiting for people", 62).getByText("the version of its rule is not approved").waitFor();
    await row(page, "Waiting for people", 61).getByText("needs a second approval").waitFor();
    await row(page, "Waiting for people", 61).getByText("approved by nils").waitFor();
    await row(page, "Waiting for people", 60).getByText("there were too many actions").waitFor();
    const failing = row(page, "Being sent", 59);
    await failing.getByText("connection refused").waitFor();
    expect(await failing.locator("td[data-label=Attempts]").innerText()).toBe("4");
    await row(page, "Finished", 55).getByText("the customer is known").waitFor();
    await row(page, "Finished", 54).getByText("Not done").waitFor();
    expect(await page.getByRole("region").evaluateAll((all) => all.map((each) => each.ariaLabel))).toEqual(
      expect.arrayContaining(["Waiting for people", "Being sent", "Finished"]),
    );
    expect(await barriers(page)).toEqual([]);
    await part(page, "Finished").getByRole("button", { name: "Show more" }).click();
    await row(page, "Finished", 1).first().waitFor();
    await done(page);
  });

  it("approves chosen actions in one go, and shows what becomes of them", async () => {
    const page = await open("/fraud/actions", { user: "otto" });
    await choose(page, 63);
    await choose(page, 60);
    await page.getByRole("button", { name: "Approve 2 actions…" }).click();
    const dialog = page.getByRole("dialog", { name: "Approve 2 actions?" });
    expect(await dialog.getByRole("listitem").allInnerTexts()).toEqual([
      "bar 0099000001\\u202e caller",
      "bar 0099000010 caller",
    ]);
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Approve" }).click();
    await page.getByText("2 actions approved.").waitFor();
    // Without a click: the page looks again while something is about to change.
    await row(page, "Finished", 63).getByText("approved by otto").waitFor();
    await row(page, "Finished", 60).getByText("done", { exact: true }).waitFor();
    await expect.poll(() => rowsOf(page, "Waiting for people").count()).toBe(3);
    await done(page);
  });

  it("waits for a second user where two people approve an action", async () => {
    const page = await open("/fraud/actions", { user: "otto" });
    await choose(page, 61);
    await page.getByRole("button", { name: "Approve 1 action…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await row(page, "Finished", 61).getByText("approved by nils and otto").waitFor();
    await choose(page, 62);
    await page.getByRole("button", { name: "Approve 1 action…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await row(page, "Waiting for people", 62).getByText("approved by otto").waitFor();
    await choose(page, 62);
    // Otto may refuse it, but is no second person.
    expect(await page.getByRole("button", { name: /^Approve/ }).isDisabled()).toBe(true);
    expect(await page.getByRole("button", { name: "Refuse 1 action…" }).isEnabled()).toBe(true);
    await done(page);
  });

  it("refuses what waits or is sent, and undoes what is done, with a reason", async () => {
    const page = await open("/fraud/actions", { user: "otto" });
    await choose(page, 63);
    await page.getByRole("button", { name: "Refuse 1 action…" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("button", { name: "Refuse" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Reason").fill("a call centre");
    await page.keyboard.press("Enter");
    await row(page, "Finished", 63).getByText("a call centre").waitFor();
    await choose(page, 59);
    await page.getByRole("button", { name: "Refuse 1 action being sent…" }).click();
    await dialog.getByText("What was sent already may have been done").waitFor();
    await dialog.getByLabel("Reason").fill("the system is gone");
    await page.keyboard.press("Enter");
    await row(page, "Finished", 59).getByText("the system is gone").waitFor();
    await choose(page, 57);
    await choose(page, 56);
    await page.getByRole("button", { name: "Undo 2 actions…" }).click();
    await dialog.getByLabel("Reason").fill("no fraud");
    await page.keyboard.press("Enter");
    await page.getByText("2 actions to be undone.").waitFor();
    await row(page, "Finished", 56).getByText("undone", { exact: true }).waitFor();
    await row(page, "Finished", 57).getByText("undone", { exact: true }).waitFor();
    await done(page);
  });

  it("says what another user changed meanwhile", async () => {
    const page = await open("/fraud/actions", { user: "otto" });
    await choose(page, 63);
    await choose(page, 60);
    await page.getByRole("button", { name: "Refuse 2 actions…" }).click();
    await as(page, "anna", "/api/actions/refuse", { actions: [63], reason: "mine" });
    await page.getByRole("dialog").getByLabel("Reason").fill("known");
    await page.keyboard.press("Enter");
    await page.getByText("1 action refused. 1 action had changed meanwhile.").waitFor();
    await row(page, "Finished", 63).getByText("mine").waitFor();
    await done(page);
  });

  it("narrows to an action and to a key", async () => {
    const page = await open("/fraud/actions?action=block", { user: "otto" });
    await expect.poll(() => rowsOf(page, "Waiting for people").count()).toBe(3);
    await page.getByText("Nothing is being sent").waitFor();
    await page.getByText("No such action is finished").waitFor();
    await page.getByRole("searchbox", { name: "Action" }).fill("");
    await page.getByRole("searchbox", { name: "Key" }).fill("0099000013");
    await page.keyboard.press("Enter");
    await expect.poll(() => rowsOf(page, "Finished").count()).toBe(3);
    await row(page, "Finished", 56).getByRole("link", { name: "0099000013" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?state=all&key=0099000013");
    await done(page);
  });

  it("shows a viewer masked keys and no buttons", async () => {
    const page = await open("/fraud/actions", { user: "vera" });
    await page.getByText("Keys are masked").waitFor();
    await settled(page);
    expect(await page.getByText("0099000001").count()).toBe(0);
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await page.getByRole("button", { name: /^(Approve|Refuse|Undo|Stop)/ }).count()).toBe(0);
    await done(page);
  });
});

for (const width of [1280, 390]) {
  it(`all actions are stopped, and resumed, at ${width} pixels`, async () => {
    const page = await open("/fraud/actions", { user: "otto", width });
    const stop = page.getByRole("button", { name: "Stop all actions…" });
    await stop.click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("button", { name: "Stop all actions" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Reason").fill("a rule bars the wrong numbers");
    await dialog.getByRole("button", { name: "Stop all actions" }).click();
    const banner = page.getByRole("status").filter({ hasText: "All actions are stopped. None is sent" });
    await banner.getByText("a rule bars the wrong numbers").waitFor();
    await banner.getByText("otto").waitFor();
    expect(await stop.isDisabled()).toBe(true);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    // What is approved now waits to be sent.
    await choose(page, 63);
    await page.getByRole("button", { name: "Approve 1 action…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await row(page, "Being sent", 63).waitFor();
    await page.goto("/fraud/cases/17");
    await banner.getByText("a rule bars the wrong numbers").waitFor();
    expect(await isTooWide(page)).toBe(false);
    await page.goto("/fraud/actions");
    await banner.getByRole("button", { name: "Resume…" }).click();
    await dialog.getByLabel("Reason").fill("the rule is mended");
    await dialog.getByRole("button", { name: "Resume" }).click();
    await banner.waitFor({ state: "detached" });
    await row(page, "Finished", 63).getByText("done", { exact: true }).waitFor();
    await done(page);
  });

  it(`a case has the actions about its key, at ${width} pixels`, async () => {
    const page = await open("/fraud/cases/17", { user: "otto", width });
    const actions = page.getByRole("table", { name: "Actions" });
    await expect.poll(() => actions.locator("tbody").getByRole("row").count()).toBe(3);
    await page.getByRole("button", { name: "Approve action 63…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    const of = (id: number) => actions.getByRole("row").filter({ hasText: `action ${id}` });
    await of(63).getByText("done", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo action 63…" }).click();
    await page.getByRole("dialog").getByLabel("Reason").fill("too early");
    await page.keyboard.press("Enter");
    await of(63).getByText("undone", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Refuse action 62…" }).click();
    await page.getByRole("dialog").getByLabel("Reason").fill("barred is enough");
    await page.keyboard.press("Enter");
    await of(62).getByText("barred is enough").waitFor();
    await page.getByRole("button", { name: "Request an action…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("rings its own customers");
    await dialog.getByLabel("Action").fill("unplug");
    await page.keyboard.press("Enter");
    await dialog.getByText('the flow has no action "unplug"').waitFor();
    await dialog.getByRole("button", { name: "bar" }).click();
    expect(await dialog.getByLabel("Action").inputValue()).toBe("bar");
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Request", exact: true }).click();
    await of(64).getByText("needs approval").waitFor();
    const steps = page.getByRole("table", { name: "What was done" });
    await steps.getByText("action requested: bar").waitFor();
    await steps.getByText("rings its own customers").waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await done(page);
  });
}

it("a case that is no fraud has what waits about its key refused", async () => {
  const page = await open("/fraud/cases/17", { user: "otto" });
  await page.getByRole("button", { name: "Decide…" }).click();
  await page.getByRole("dialog").getByRole("radio", { name: "Not fraud" }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("a call centre");
  await page.keyboard.press("Enter");
  const refused = page.getByRole("table", { name: "Actions" }).getByRole("row").filter({ hasText: "refused" });
  await expect.poll(() => refused.count()).toBe(2);
  // It is done: only a person can have it undone.
  await page.getByRole("button", { name: "Undo action 57…" }).waitFor();
  await done(page);
});

it("a version of a rule acts once two users have approved it", async () => {
  const page = await open("/fraud/rules", { user: "otto" });
  const rule = page.getByRole("table", { name: "Rules" }).getByRole("row").filter({ hasText: "risk-ranges" });
  await rule.getByText("0 of 2 approvals").waitFor();
  await rule.getByText("review was due").waitFor();
  await rule.getByRole("button", { name: "Approve version…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("c4d10e9f6b5a2837").waitFor();
  await dialog.getByLabel("Reason").fill("tried out in May");
  await page.keyboard.press("Enter");
  await page.getByText("Approved. Another person must approve it, too.").waitFor();
  await rule.getByText("1 of 2 approvals").waitFor();
  await rule.getByText("Another person must approve it, too.").waitFor();
  expect(await rule.getByRole("button", { name: "Approve version…" }).count()).toBe(0);
  await as(page, "anna", "/api/fraud/rules/approve", {
    ...{ node: "calls", rule: "risk-ranges", version: "c4d10e9f6b5a2837", reason: "agreed" },
  });
  await page.getByRole("button", { name: "Look again" }).click();
  await rule.getByText("approved", { exact: true }).waitFor();
  await rule.getByText("agreed").waitFor();
  // It needs the approvals of the action itself, too.
  await page.goto("/fraud/actions");
  await row(page, "Waiting for people", 62).getByText("needs approval").waitFor();
  await done(page);
});

it("a user does not approve a version twice", async () => {
  const page = await open("/fraud/rules", { user: "otto" });
  await page.getByRole("button", { name: "Approve version…" }).click();
  await as(page, "otto", "/api/fraud/rules/approve", {
    ...{ node: "calls", rule: "risk-ranges", version: "c4d10e9f6b5a2837", reason: "in another window" },
  });
  await page.getByRole("dialog").getByLabel("Reason").fill("again");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("you have approved it already: another person must").waitFor();
  await done(page);
});

it("rules without an alert are listed, and those that no longer run", async () => {
  const page = await open("/fraud/rules", { user: "vera" });
  const rules = page.getByRole("table", { name: "Rules" }).getByRole("row");
  await rules.filter({ hasText: "dear-at-night" }).getByText("long calls to dear numbers at night").waitFor();
  await rules.filter({ hasText: "same-number-twice" }).getByText("no longer runs").waitFor();
  expect(await page.getByRole("button", { name: "Approve version…" }).count()).toBe(0);
  await done(page);
});
