/** Counters that need a decision since the flow has changed. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import type { DoubtedCounters } from "../../src/api/types.ts";
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

/** Changes the answers about counters that need a decision. */
const answers = (page: Page, change: (doubted: DoubtedCounters) => void) =>
  page.route("**/api/counters/in-doubt", async (route) => {
    const response = await route.fetch();
    const doubted = (await response.json()) as DoubtedCounters;
    change(doubted);
    await route.fulfill({ response, json: doubted });
  });

it("what was asked for and is refused stands there no longer, and then it is not asked again", async () => {
  const page = await open("/tariffs", { user: "otto" });
  const wanted = table(page).getByText(/otto asked to move them/);
  await wanted.waitFor();
  await button(page, "Accept the counters of clearing").click();
  await page.getByRole("dialog").getByLabel("Reason").fill("alike");
  let times = 0;
  await answers(page, ({ nodes }) => {
    times += 1;
    for (const each of nodes) each.asked = null;
  });
  await wanted.waitFor({ state: "detached" });
  expect(await page.getByRole("dialog").getByLabel("Reason").inputValue()).toBe("alike");
  await table(page).getByText("older-price", { exact: true }).waitFor();
  await page.waitForTimeout(6_000);
  expect(times).toBe(1);
  await done(page);
});

it("whoever is about to decide goes on where the list cannot be read again", async () => {
  const page = await open("/tariffs", { user: "otto" });
  await button(page, "Forget the counters of old-price").click();
  await page.getByRole("dialog").getByLabel("Reason").fill("of a test");
  await page.route("**/api/counters/in-doubt", (route) => route.fulfill({ status: 500, json: { error: "it broke" } }));
  await page.getByText("It broke.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Forget", exact: true }).click();
  await page.getByText(/48,211 subscribers in old-price are forgotten/).waitFor();
  await done(page);
});

it("before there is a journal nothing stands there, and then what is in it", async () => {
  const page = await open("/tariffs?view=counters", { user: "otto" });
  await table(page).waitFor();
  const opens = { error: "the gateway opens its journal; ask again in a moment" };
  await page.route("**/api/counters/in-doubt", (route) => route.fulfill({ status: 503, json: opens }));
  const answered = page.waitForResponse("**/api/counters/in-doubt");
  await page.goto("/tariffs");
  await answered;
  await page.getByRole("region", { name: "Plan tariff" }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await table(page).count()).toBe(0);
  await page.unroute("**/api/counters/in-doubt");
  await table(page).getByText("48,211").waitFor();
  await done(page);
});

it("where no node is known to move them to, it says so", async () => {
  const page = await open("/tariffs?view=counters", { user: "otto" });
  await answers(page, (doubted) => void (doubted.keeping = []));
  await page.goto("/tariffs");
  await button(page, "Move the counters of old-price").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/No node is known that keeps counters/).waitFor();
  await dialog.getByLabel("Reason").fill("renamed");
  expect(await dialog.getByRole("button", { name: "Move", exact: true }).isDisabled()).toBe(true);
  await done(page);
});
