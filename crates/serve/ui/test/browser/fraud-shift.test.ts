/** The screen of the shift. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

const tile = (page: Page, name: string) =>
  page.getByRole("list", { name: "What waits" }).getByRole("link", { name: new RegExp(`^${name}`) });

const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

for (const [width, scheme] of [
  [1280, "light"],
  [390, "dark"],
] as const) {
  it(`says what waits, at ${width} pixels`, async () => {
    const page = await open("/fraud/shift", { user: "otto", width, scheme });
    await tile(page, "Critical cases").getByText("1", { exact: true }).waitFor();
    // Nils has one of the 15 open ones.
    await tile(page, "Unassigned").getByText("14", { exact: true }).waitFor();
    await tile(page, "Actions wait").getByText("4", { exact: true }).waitFor();
    await tile(page, "Actions fail").getByText("2", { exact: true }).waitFor();
    await part(page, "Critical cases").getByText("2 h 5 min").waitFor();
    await part(page, "Actions that fail").getByText("connection refused").waitFor();
    const alerts = part(page, "Last alerts").getByRole("listitem");
    expect(await alerts.first().innerText()).toContain("0099000001\\u202e");
    expect(await alerts.count()).toBe(20);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await done(page);
  });
}

it("leads to what waits", async () => {
  const page = await open("/fraud/shift", { user: "otto" });
  await tile(page, "Unassigned").click();
  await expect.poll(() => page.getByRole("table", { name: "Cases" }).getByRole("row").count()).toBe(15);
  await page.goBack();
  await part(page, "Critical cases").getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: "Case 17" }).waitFor();
  await done(page);
});

it("approves actions and versions of rules where they are shown", async () => {
  const page = await open("/fraud/shift", { user: "otto" });
  await page.getByRole("button", { name: "Approve action 60…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
  await page.getByText("1 action approved.").waitFor();
  await tile(page, "Actions wait").getByText("3", { exact: true }).waitFor();
  const approve = page.getByRole("button", { name: "Approve version… of risk-ranges" });
  await approve.click();
  await page.getByRole("dialog").getByLabel("Reason").fill("tried out");
  await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
  await page.getByText("Another person must approve it, too.").waitFor();
  await approve.waitFor({ state: "detached" });
  await done(page);
});

it("is the first tab of who is on duty, also after a reload", async () => {
  const page = await open("/fraud/shift", { user: "otto" });
  const tabs = page.getByRole("navigation", { name: "Parts of fraud" }).getByRole("link");
  await tabs.first().waitFor();
  expect(await tabs.allInnerTexts()).toEqual(["Cases", "Alerts", "Actions", "Rules", "Lists", "Reports", "Shift"]);
  await page.getByRole("checkbox", { name: "On duty" }).click();
  await expect.poll(() => tabs.first().innerText()).toBe("Shift");
  await page.reload();
  await expect.poll(() => tabs.first().innerText()).toBe("Shift");
  await done(page);
});

it("a viewer sees what waits, with masked keys, and approves nothing", async () => {
  const page = await open("/fraud/shift", { user: "vera" });
  await page.getByText("Keys are masked").waitFor();
  expect(await page.getByText("0099000001").count()).toBe(0);
  expect(await page.getByRole("button", { name: /^(Approve|Refuse)/ }).count()).toBe(0);
  await done(page);
});

it("says that nothing waits", async () => {
  const page = await open("/fraud/shift", { user: "otto", isEmpty: true });
  await page.getByText("Nothing waits for a person.").waitFor();
  await page.getByText("No rule has found anything yet.").waitFor();
  expect(await barriers(page)).toEqual([]);
  await done(page);
});
