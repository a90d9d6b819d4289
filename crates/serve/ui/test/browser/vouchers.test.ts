/** Vouchers, and the books: made, activated, used, blocked; checked and exported. */
import { readFileSync } from "node:fs";

import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, openAreas, useGateway } from "./gateway.ts";

useGateway();

/** The serial numbers of a batch of the fake gateway. */
const serial = (batch: number, place: number) => String(batch * 2 ** 32 + place);

/** The PINs of the fake gateway. */
const pinOf = (batch: number, place: number) => String(batch * 1_000_000 + place).padStart(14, "0");

async function ask(page: Page, action: string) {
  await page.getByRole("button", { name: action }).click();
  return page.getByRole("dialog");
}

/** Makes a batch of 120 vouchers. */
async function make(page: Page) {
  const dialog = await ask(page, "Make vouchers…");
  await dialog.getByLabel("Batch").fill("9");
  await dialog.getByLabel("How many").fill("120");
  await dialog.getByLabel("Amount in SEK").fill("50.00");
  await dialog.getByLabel("Until (UTC)").fill("2031-01-01T00:00");
  await dialog.getByLabel("Reason").fill("for the shops");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Make" }).click();
  await dialog.getByText("The PINs are shown only now", { exact: false }).waitFor();
  return dialog;
}

async function find(page: Page, number: string) {
  await page.getByRole("searchbox", { name: "Serial number" }).fill(number);
  await page.getByRole("button", { name: "Find" }).click();
  return page.getByRole("region", { name: `Voucher ${number}` });
}

for (const width of [1280, 390]) {
  for (const scheme of ["light", "dark"] as const) {
    it(`a voucher is found by its serial number, at ${width} pixels, ${scheme}`, async () => {
      const page = await open("/accounts?view=vouchers", { user: "vera", width, scheme });
      await page.getByText("Which voucher?").waitFor();
      const voucher = await find(page, serial(7, 1));
      await voucher.getByText("used", { exact: true }).waitFor();
      await voucher.getByText("100.00 SEK").waitFor();
      expect(page.url()).toContain(`serial=${serial(7, 1)}`);
      expect(await barriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await find(page, "12");
      await page.getByText("There is no voucher 12.").waitFor();
      await find(page, serial(7, 1));
      await voucher.getByRole("link", { name: "account 2" }).click();
      await page.getByRole("heading", { level: 1, name: "Account 2" }).waitFor();
      await done(page);
    });
  }
}

it("the PINs of a new batch are not lost by a key or on another page", async () => {
  const page = await open("/alarms");
  await openAreas(page);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Accounts" }).click();
  await page.getByRole("link", { name: "Vouchers" }).click();
  const dialog = await make(page);
  const pin = dialog.getByRole("table", { name: "Vouchers" }).getByText(pinOf(9, 0), { exact: true });
  await pin.waitFor();
  await dialog.getByText("and 20 more").waitFor();
  expect(await barriers(page)).toEqual([]);
  // A browser does not let a page refuse the second Escape.
  for (let time = 0; time < 3; time += 1) await page.keyboard.press("Escape");
  await dialog.getByText("They are not saved yet", { exact: false }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Alarms" }).waitFor();
  expect(await dialog.count()).toBe(0);
  await page.goForward();
  await pin.waitFor();
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Close without the PINs" }).click();
  await page.getByRole("button", { name: "Open an account…" }).waitFor();
  expect(await dialog.count()).toBe(0);
  await done(page);
});

it("a batch is made, activated, used and blocked", async () => {
  const page = await open("/accounts?view=vouchers", { width: 390 });
  const dialog = await make(page);
  expect(await isTooWide(page)).toBe(false);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Save as CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^tollgate-vouchers-of-batch-9-.*\.csv$/);
  const lines = readFileSync(await download.path(), "utf8").split("\r\n");
  expect([lines[0], lines[1], lines.length]).toEqual(["serial,pin", `${serial(9, 0)},${pinOf(9, 0)}`, 122]);
  await dialog.getByRole("button", { name: "Done" }).click();
  const voucher = await find(page, serial(9, 0));
  await voucher.getByText("generated", { exact: true }).waitFor();
  await ask(page, "Activate a batch…");
  await dialog.getByLabel("Batch").fill("9");
  await dialog.getByLabel("Reason").fill("delivered");
  await dialog.getByRole("button", { name: "Activate" }).click();
  await page.getByText("120 vouchers of batch 9 are activated.").waitFor();
  await voucher.getByText("active", { exact: true }).waitFor();
  await ask(page, "Block this voucher…");
  expect(await dialog.getByLabel("First serial number").inputValue()).toBe(serial(9, 0));
  await dialog.getByLabel("Reason").fill("lost");
  await dialog.getByRole("button", { name: "Block" }).click();
  await page.getByText("1 voucher of batch 9 is blocked.").waitFor();
  await voucher.getByText("blocked", { exact: true }).waitFor();
  await ask(page, "Block vouchers…");
  await dialog.getByLabel("Batch").fill("9");
  await dialog.getByLabel("First serial number").fill(serial(7, 3));
  await dialog.getByLabel("Reason").fill("stolen");
  await dialog.getByRole("button", { name: "Block" }).click();
  await dialog.getByText("is not one of batch 9", { exact: false }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByLabel("First serial number").fill(serial(9, 10));
  await dialog.getByLabel("Last serial number").fill(serial(9, 19));
  await dialog.getByRole("button", { name: "Block" }).click();
  await page.getByText("10 vouchers of batch 9 are blocked.").waitFor();
  await page.getByRole("link", { name: "Changes" }).click();
  const changes = page.getByRole("table", { name: "Changes" });
  for (const reason of ["for the shops", "delivered", "lost", "stolen"]) await changes.getByText(reason).waitFor();
  await done(page);
});

it("a batch whose number is taken is refused, and the dialog stays", async () => {
  const page = await open("/accounts?view=vouchers");
  const dialog = await ask(page, "Make vouchers…");
  await dialog.getByLabel("Batch").fill("7");
  await dialog.getByLabel("How many").fill("1");
  await dialog.getByLabel("Amount in SEK").fill("50.00");
  await dialog.getByLabel("Until (UTC)").fill("2031-01-01T00:00");
  await dialog.getByLabel("Reason").fill("for the shops");
  await dialog.getByRole("button", { name: "Make" }).click();
  await dialog.getByText("The voucher is refused: there is a batch 7 already.").waitFor();
  await done(page);
});

it("a voucher is used once, after a wrong PIN", async () => {
  const page = await open("/accounts/46702000001", { user: "otto" });
  const dialog = await ask(page, "Use a voucher…");
  await dialog.getByLabel("PIN").fill("9999 9999 9999 99");
  await dialog.getByRole("button", { name: "Use" }).click();
  await dialog.getByText("The voucher is refused: the PIN is not known.").waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByLabel("PIN").fill(pinOf(7, 2));
  await dialog.getByRole("button", { name: "Use" }).dblclick();
  await page.getByText(`100.00 SEK refilled with voucher ${serial(7, 2)}.`).waitFor();
  const history = page.getByRole("table", { name: "History" });
  await history.getByText(`voucher ${serial(7, 2)}`, { exact: true }).waitFor();
  await page.getByRole("article", { name: "Main balance" }).getByText("120.00 SEK").first().waitFor();
  await ask(page, "Use a voucher…");
  await dialog.getByLabel("PIN").fill(pinOf(7, 2));
  await dialog.getByRole("button", { name: "Use" }).click();
  await page.getByText(`for voucher ${serial(7, 2)} before: nothing is changed.`, { exact: false }).waitFor();
  await history.getByRole("button", { name: "Why entry 2" }).click();
  await page.getByText("of batch 7").waitFor();
  await page.getByRole("link", { name: serial(7, 2) }).click();
  await page
    .getByRole("region", { name: `Voucher ${serial(7, 2)}` })
    .getByText("used", { exact: true })
    .waitFor();
  await done(page);
});

it("after three wrong PINs the dialog says when the account may try again", async () => {
  const page = await open("/accounts/46702000001", { user: "otto" });
  const dialog = await ask(page, "Use a voucher…");
  const use = dialog.getByRole("button", { name: "Use" });
  for (const pin of ["1111111111", "2222222222", "3333333333"]) {
    await dialog.getByLabel("PIN").fill(pin);
    await use.click();
    await dialog.getByText("the PIN is not known", { exact: false }).waitFor();
  }
  await dialog.getByLabel("PIN").fill(pinOf(7, 2));
  await use.click();
  await dialog.getByText("it may try again at", { exact: false }).waitFor();
  await dialog.getByText("voucher-locked", { exact: true }).waitFor();
  await done(page);
});

it("an operator activates and blocks, and only an administrator makes vouchers; a viewer looks", async () => {
  const operator = await open("/accounts?view=vouchers", { user: "otto" });
  await operator.getByRole("button", { name: "Activate a batch…" }).waitFor();
  expect(await operator.getByRole("button", { name: "Make vouchers…" }).count()).toBe(0);
  await done(operator);
  const page = await open(`/accounts?view=vouchers&serial=${serial(7, 0)}`, { user: "vera" });
  await page.getByRole("region", { name: `Voucher ${serial(7, 0)}` }).waitFor();
  await page.getByText("active", { exact: true }).waitFor();
  const actions = /^(Make|Activate|Block)/;
  expect(await page.getByRole("main").getByRole("button", { name: actions }).count()).toBe(0);
  await page.goto("/accounts/46702000001");
  await page.getByRole("table", { name: "History" }).waitFor();
  expect(await page.getByRole("button", { name: "Use a voucher…" }).count()).toBe(0);
  await done(page);
});

it("the books are checked: they are sound, or have faults", async () => {
  const page = await open("/accounts", { user: "vera" });
  const check = page.getByRole("button", { name: "Check the books" });
  await check.click();
  await page.getByText("the books are sound", { exact: false }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.route("**/api/charging/check", (route) =>
    route.fulfill({
      json: {
        accounts: 64,
        entries: 124,
        faults: ["account 1: balance 0 is 5.00 SEK, its entries are 4.00 SEK"],
        fault_count: 3,
      },
    }),
  );
  await check.click();
  const faults = page.getByRole("alert");
  await faults.getByText("3 faults in 124 entries of 64 accounts:").waitFor();
  await faults.getByText("account 1: balance 0 is 5.00 SEK", { exact: false }).waitFor();
  await faults.getByText("and 2 more.").waitFor();
  expect(await page.getByText("the books are sound", { exact: false }).count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await done(page);
});

it("a period is summed from what subscribers had to what they have", async () => {
  const page = await open("/accounts", { user: "vera" });
  const asked: string[] = [];
  await page.route("**/api/charging/sums*", (route) => {
    asked.push(new URL(route.request().url()).search);
    return route.continue();
  });
  await page.getByLabel("From (UTC)").fill("2026-01-01");
  await page.getByRole("button", { name: "Sum the period" }).click();
  const sums = page.getByRole("table", { name: "Sums of the period" });
  await sums
    .getByRole("row", { name: /^before/ })
    .first()
    .waitFor();
  await sums
    .getByRole("row", { name: /^refill/ })
    .first()
    .waitFor();
  await sums
    .getByRole("row", { name: /^after/ })
    .first()
    .waitFor();
  expect(asked).toEqual(["?from=2026-01-01"]);
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  // Another period has other sums.
  await page.getByLabel("To, not included").fill("2026-02-01");
  await sums.waitFor({ state: "detached" });
  await done(page);
});

it("all entries are exported page by page, and the export can be cancelled", async () => {
  const page = await open("/accounts", { user: "vera", width: 390 });
  const start = page.getByRole("button", { name: "Export the entries" });
  let asked = 0;
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  await page.route("**/api/charging/entries*", async (route) => {
    asked += 1;
    if (asked === 2) await held;
    await route.continue();
  });
  await start.click();
  await page.getByText("50 entries so far.", { exact: false }).waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await page.getByRole("button", { name: "Cancel" }).click();
  goOn();
  await start.waitFor();
  expect(asked).toBe(2);
  const [download] = await Promise.all([page.waitForEvent("download"), start.click()]);
  expect(download.suggestedFilename()).toMatch(/^tollgate-entries-.*\.csv$/);
  const lines = readFileSync(await download.path(), "utf8")
    .trimEnd()
    .split("\r\n");
  await page.getByText(`${lines.length - 1} entries exported.`).waitFor();
  expect(lines[0]).toMatch(/^account,entry,at,unit,balance,amount,balance after,system,currency,kind,by,/);
  expect(lines.length).toBeGreaterThan(101);
  expect(new Set(lines).size).toBe(lines.length);
  await done(page);
});
