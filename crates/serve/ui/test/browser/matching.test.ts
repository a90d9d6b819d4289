/** The groups in matching nodes are shown and ended. The counters of a subscriber are shown. */
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, openAreas, useGateway } from "./gateway.ts";

useGateway();

for (const width of [1280, 390]) {
  it(`a group is looked at and released with a reason, at ${width} pixels`, async () => {
    const page = await open("/matching", { user: "otto", width });
    const waiting = page.getByRole("table", { name: "Groups that wait", exact: true });
    await waiting.getByText("msc-new-york (nothing came)").first().waitFor();
    await waiting.getByRole("link", { name: "record 919 in suspense" }).waitFor();
    await waiting.getByRole("link", { name: "4711" }).click();
    await page.getByRole("heading", { level: 1, name: "Group 4711" }).waitFor();
    const records = page.getByRole("table", { name: "Records of the group" });
    await records.getByRole("link", { name: "Look at record 3 of boston-10432.ber" }).waitFor();
    await records.getByRole("link", { name: "Trace record 7 of boston-10431.ber" }).waitFor();
    await page.getByRole("button", { name: "Release…" }).click();
    const dialog = page.getByRole("dialog", { name: "Release group 4711?" });
    expect(await dialog.getByRole("button", { name: "Release" }).isDisabled()).toBe(true);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await dialog.getByLabel("Reason").fill("the switch lost the rest");
    await page.keyboard.press("Enter");
    await page.getByText("1 group of 2 records: 1 released.").waitFor();
    await page.getByText("otto asked to release it: the switch lost the rest").waitFor();
    expect(await page.getByRole("button", { name: "Release…" }).count()).toBe(0);
    // For a key, groups that have ended are shown, too.
    await page.getByRole("link", { name: "Groups of this key" }).click();
    const ended = page.getByRole("table", { name: "Groups that wait no more" });
    await expect.poll(() => ended.getByRole("link", { name: "4711" }).count()).toBe(2);
    expect(await isTooWide(page)).toBe(false);
    await done(page);
  });
}

it("chosen groups are set aside, and all of a node given up, with reasons that are in the trail", async () => {
  const page = await open("/matching", { user: "otto" });
  await page.getByText("Choose groups, or a node above").waitFor();
  await page.getByRole("checkbox", { name: "Choose group 5000 in calls" }).click();
  await page.getByRole("checkbox", { name: "Choose group 5001 in calls" }).click();
  await page.getByRole("button", { name: "Suspend 2 groups…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("parts of two calls");
  await dialog.getByRole("button", { name: "Suspend" }).click();
  await page.getByText("2 groups of 2 records: 2 in suspense.").waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByRole("link", { name: "5059" }).waitFor();
  await page.getByRole("table", { name: "Nodes" }).getByRole("link", { name: "calls" }).click();
  await page.getByRole("button", { name: "Drop all 59 groups in calls…" }).click();
  await dialog.getByLabel("Reason").fill("test calls");
  await dialog.getByRole("button", { name: "Drop" }).click();
  await page.getByText("59 groups of 60 records: 59 dropped.").waitFor();
  await page.getByText("No such group").waitFor();
  await page.getByRole("link", { name: "Show all" }).click();
  await page.getByRole("link", { name: "46701234567/17" }).waitFor();
  await openAreas(page);
  await page.getByRole("link", { name: "Trail" }).click();
  await page
    .getByRole("row", { name: /matching suspend/ })
    .getByText("parts of two calls")
    .waitFor();
  await page
    .getByRole("row", { name: /matching drop/ })
    .getByText("test calls")
    .waitFor();
  await done(page);
});

it("groups that an earlier filter showed are not ended", async () => {
  const page = await open("/matching", { user: "otto" });
  await page.getByRole("checkbox", { name: "Choose group 5000 in calls" }).click();
  await page.getByRole("checkbox", { name: "Choose group 46701234567/17 in sessions" }).click();
  await page.getByRole("button", { name: "Drop 2 groups…" }).waitFor();
  await page.getByRole("table", { name: "Nodes" }).getByRole("link", { name: "sessions" }).click();
  await page.getByRole("button", { name: "Drop 1 group…" }).click();
  const dialog = page.getByRole("dialog", { name: "Drop 1 group?" });
  await dialog.getByLabel("Reason").fill("a test session");
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.url().endsWith("/api/matching/end")),
    dialog.getByRole("button", { name: "Drop" }).click(),
  ]);
  expect(request.postDataJSON().ids).toEqual([41]);
  await done(page);
});

it("all groups of a node are not ended where a period hides some of them", async () => {
  const page = await open("/matching?node=calls", { user: "otto" });
  await page.getByRole("button", { name: "Drop all 61 groups in calls…" }).waitFor();
  await page.getByLabel("Period").selectOption({ label: "the last hour" });
  await page.getByText("Choose groups to end them before their time.").waitFor();
  expect(await page.getByRole("button", { name: /^(Release|Suspend|Drop)/ }).count()).toBe(0);
  await page.getByRole("checkbox", { name: "Choose group 5000 in calls" }).click();
  await page.getByRole("button", { name: "Drop 1 group…" }).waitFor();
  await done(page);
});

it("a question about groups stays the same when another user ends them, and its refusal has a code", async () => {
  const page = await open("/matching?node=calls&live=true", { user: "otto" });
  await page.getByRole("checkbox", { name: "Choose group 5000 in calls" }).click();
  await page.getByRole("button", { name: "Drop 1 group…" }).click();
  const dialog = page.getByRole("dialog", { name: "Drop 1 group?" });
  await dialog.getByLabel("Reason").fill("a test call");
  const session = await (await page.request.get("/api/session")).json();
  await page.request.post("/api/matching/end", {
    headers: { "X-CSRF-Token": session.csrf },
    data: { end: "release", ids: [100], because: "its parts are there" },
  });
  await page.locator("tr", { hasText: "5000" }).waitFor({ state: "detached" });
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.url().endsWith("/api/matching/end")),
    dialog.getByRole("button", { name: "Drop" }).click(),
  ]);
  expect(request.postDataJSON().ids).toEqual([100]);
  await dialog.getByRole("alert").getByText("groups-not-waiting", { exact: true }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await done(page);
});

it("a viewer looks at groups, and ends none", async () => {
  const page = await open("/matching?node=calls", { user: "vera" });
  await page.getByRole("link", { name: "4711" }).waitFor();
  expect(await page.getByRole("button", { name: /^(Release|Suspend|Drop)/ }).count()).toBe(0);
  expect(await page.getByRole("checkbox").count()).toBe(0);
  await page.getByRole("link", { name: "4711" }).click();
  await page.getByRole("heading", { level: 1, name: "Group 4711" }).waitFor();
  expect(await page.getByRole("button", { name: /^(Release|Suspend|Drop)/ }).count()).toBe(0);
  await done(page);
});

for (const width of [1280, 390]) {
  it(`what was counted of a subscriber is shown, at ${width} pixels`, async () => {
    const page = await open("/tariffs", { user: "vera", width });
    await page.getByRole("link", { name: "Counters of a subscriber" }).click();
    await page.getByText("Whose counters?").waitFor();
    await page.getByRole("textbox", { name: "Subscriber" }).fill("46701234567");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    const counters = page.getByRole("table", { name: "Counters of 46701234567" });
    await counters.getByRole("row", { name: /plus-100 bundle.*5940 seconds/ }).waitFor();
    await counters.getByRole("row", { name: /loyal discount.*184.50 spent/ }).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.getByRole("textbox", { name: "Subscriber" }).fill("1");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByText("Nothing was counted of 1").waitFor();
    await done(page);
  });
}
