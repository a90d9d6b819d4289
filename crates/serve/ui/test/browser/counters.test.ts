/** Counters that need a decision since the flow has changed. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

const table = (page: Page) => page.getByRole("table", { name: "Counters that need a decision" });
const button = (page: Page, name: string) => table(page).getByRole("button", { name, exact: true });

for (const width of [1280, 390]) {
  it(`counters are moved, accepted and forgotten with a reason, at ${width} pixels`, async () => {
    const page = await open("/tariffs", { user: "otto", width, scheme: width === 390 ? "dark" : "light" });
    await table(page).getByText("48,211").waitFor();
    await table(page)
      .getByText(/otto asked to move them to “price”: renamed in spring/)
      .waitFor();
    expect(await button(page, "Move the counters of clearing").count()).toBe(0);
    expect(await button(page, "Accept the counters of old-price").count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    const dialog = page.getByRole("dialog");
    await button(page, "Move the counters of old-price").click();
    const move = dialog.getByRole("button", { name: "Move", exact: true });
    await dialog.getByLabel("Reason").fill("refused");
    expect(await move.isDisabled()).toBe(true);
    await dialog.getByLabel("Its name now").selectOption("cost");
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await move.click();
    await dialog
      .getByRole("alert")
      .getByText(/its counters count: nothing was changed/)
      .waitFor();
    await dialog.getByLabel("Reason").fill("renamed");
    await move.click();
    await page.getByText(/48,211 subscribers go from old-price to cost; 17 had been counted under both/).waitFor();
    await button(page, "Accept the counters of clearing").click();
    await dialog.getByLabel("Reason").fill("alike");
    await dialog.getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByText("The counters of 12 subscribers in clearing count on.").waitFor();
    await button(page, "Forget the counters of older-price").click();
    await dialog.getByText("All that was counted of 1 subscriber is given up, for good.").waitFor();
    await dialog.getByLabel("Reason").fill("a file is in work");
    await dialog.getByRole("button", { name: "Forget", exact: true }).click();
    await page.getByText("It is asked for, and done as soon as no file is in work.").first().waitFor();
    await table(page)
      .getByText(/otto asked to forget them: a file is in work/)
      .waitFor();
    await button(page, "Forget the counters of older-price").click();
    await dialog.getByLabel("Reason").fill("of a test");
    await dialog.getByRole("button", { name: "Forget", exact: true }).click();
    await page.getByText(/1 subscriber in older-price are forgotten; those of 1 subscriber stay/).waitFor();
    await table(page).waitFor({ state: "detached" });
    await done(page);
  });
}

it("who may only look sees them, and changes nothing; where all counters count, nothing stands there", async () => {
  const page = await open("/tariffs?view=counters", { user: "vera" });
  await table(page).getByText("old-price", { exact: true }).waitFor();
  expect(await table(page).getByRole("button").count()).toBe(0);
  await done(page);
  const empty = await open("/tariffs", { isEmpty: true });
  await empty.getByText("Nothing is rated").waitFor();
  expect(await table(empty).count()).toBe(0);
  await done(empty);
});
