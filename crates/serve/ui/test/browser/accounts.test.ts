/** Prepaid accounts: found, looked at, explained, refilled and corrected. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { PASSWORD } from "../fake/world.ts";
import { barriers, done, isTooWide, open, openAreas, useGateway } from "./gateway.ts";

useGateway();

const ANNA = "/accounts/46701234567";

const history = (page: Page) => page.getByRole("table", { name: "History" });

/** Chooses an action of the page, and returns its dialog. */
async function ask(page: Page, action: string) {
  await page.getByRole("button", { name: action }).click();
  return page.getByRole("dialog");
}

for (const width of [1280, 390]) {
  for (const scheme of ["light", "dark"] as const) {
    it(`an account is found by the digits of a number, and a charge explained, at ${width} pixels, ${scheme}`, async () => {
      const page = await open("/accounts", { user: "vera", width, scheme });
      const figures = page.getByRole("region", { name: "Figures of the charging system" });
      await figures.getByText("the sum is zero").waitFor();
      await figures.getByText("subscribers").first().waitFor();
      const accounts = page.getByRole("table", { name: "Accounts" });
      await page.getByRole("searchbox", { name: "Number" }).fill("123 45");
      await expect.poll(() => accounts.getByRole("row").filter({ hasText: "4670" }).count()).toBe(2);
      expect(page.url()).toContain("part=");
      expect(await barriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await accounts.getByRole("link", { name: "46701234567" }).click();
      await page.getByRole("heading", { level: 1, name: "Account of 46701234567" }).waitFor();
      const bundle = page.getByRole("article", { name: "Balance 1 (month) for data" });
      await bundle.getByText("rolled over from an earlier period").waitFor();
      expect(await bundle.getByTitle("3,750,000,000 octets").first().innerText()).toBe("3.8 GB");
      await page.getByRole("article", { name: "Main balance" }).getByText("reserved").waitFor();
      await history(page).getByRole("button", { name: "Why entry 59" }).click();
      const steps = page.getByRole("table", { name: "Steps to the price of entry 59" });
      await steps.getByText("numbers.csv:14").waitFor();
      await page.getByText("63 seconds").waitFor();
      await page.getByText("2.00 SEK so far, 0.75 SEK paid before: 1.25 SEK paid").waitFor();
      await history(page).getByRole("button", { name: "Why entry 60" }).click();
      await page.getByText("5 GB, sold in the shop").waitFor();
      await page.getByText("shop-17").waitFor();
      await history(page).getByText("Balance 1 (month)").first().waitFor();
      expect(await barriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await done(page);
    });
  }
}

it("what was refused to a subscriber, and the last amount of a call that was cut off, are there with the reasons", async () => {
  const page = await open("/accounts/46702000002", { user: "vera", width: 390 });
  const refused = page.getByRole("region", { name: "Refused" });
  await page.getByText("412.50 of 500.00 SEK within the limit data-abroad").waitFor();
  const rows = refused.getByRole("table", { name: "Refused" }).getByRole("row").filter({ hasText: "46812345678" });
  await refused.getByText("there is not enough money").first().waitFor();
  expect(await rows.count()).toBe(5);
  await refused.getByRole("button", { name: "Show all 6" }).click();
  await refused.getByText("34 seconds were granted, and the account pays for no more").waitFor();
  expect(await rows.count()).toBe(6);
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await done(page);
});

it("what the subscriber was to hear of is there, and why notices are not sent", async () => {
  const page = await open("/accounts/46702000002", { user: "vera", width: 390 });
  const notices = page.getByRole("region", { name: "Notices" });
  await notices.getByText("the limit data-abroad is spent to 80 %").waitFor();
  const low = notices.getByRole("row").filter({ hasText: "less than 20.00 SEK is left" });
  expect(await low.count()).toBe(4);
  await notices.getByRole("button", { name: "Show all 7" }).click();
  expect(await low.count()).toBe(6);
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  const failing = 'notices cannot be sent: "sms.example.com" answers 503 Service Unavailable';
  await page.route("**/api/charging", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), notices: { waiting: 12, failing } } });
  });
  await page.goto(new URL("/accounts", page.url()).href);
  await page.getByRole("alert").getByText(failing).waitFor();
  await page.getByText("12 wait").waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await done(page);
});

it("an entry for a record says which one, and where it came from", async () => {
  const page = await open("/accounts/46703000017", { user: "vera", width: 390 });
  await history(page).getByText("telephony to 33612345678").waitFor();
  await history(page).getByRole("button", { name: "Why entry 2" }).click();
  await page.getByText("line 1,207 of partner-tap-0017.json").waitFor();
  await page.getByText("46703000017 to 33612345678").waitFor();
  await page.getByText("tap-77").waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await done(page);
});

it("a refund says for which service it is", async () => {
  const page = await open("/accounts/46703000018", { user: "vera", width: 390 });
  await history(page).getByText("refund of sms to 46812345678").waitFor();
  await history(page).getByRole("button", { name: "Why entry 2" }).click();
  await page.getByText("2 events by msc1").waitFor();
  expect(await page.getByText("Priced so far").count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await done(page);
});

it("entries are found by what they are for and by day", async () => {
  const page = await open(ANNA, { user: "vera", width: 390 });
  const rows = history(page).getByRole("button", { name: "Why entry" });
  await expect.poll(() => rows.count()).toBe(50);
  await page.getByLabel("Entries").selectOption("adjustments");
  await expect.poll(() => rows.count()).toBe(1);
  await history(page).getByText("adjustment").waitFor();
  expect(page.url()).toContain("system=adjustment");
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await page.getByLabel("From (UTC)").fill("2999-01-01");
  await page.getByText("There are no such entries.").waitFor();
  await page.getByLabel("From (UTC)").fill("");
  await page.getByLabel("To, not included").fill("2999-01-01");
  await expect.poll(() => rows.count()).toBe(1);
  await done(page);
});

it("a list of numbers has more pages", async () => {
  const page = await open("/accounts");
  const accounts = page.getByRole("table", { name: "Accounts" });
  await accounts.getByRole("link", { name: "46701234567" }).waitFor();
  expect(await accounts.getByRole("link", { name: "sip:anna@example.org" }).count()).toBe(0);
  await page.getByRole("button", { name: "Show more" }).click();
  await accounts.getByRole("link", { name: "sip:anna@example.org" }).click();
  await page.getByRole("heading", { level: 1, name: "Account of sip:anna@example.org" }).waitFor();
  await page.getByText("pre-active").waitFor();
  await done(page);
});

it("a reservation moves while the page is open", async () => {
  const page = await open(ANNA, { user: "vera" });
  const main = page.getByRole("article", { name: "Main balance" });
  const reserved = async () => /([\d.]+) SEK reserved/.exec(await main.innerText())?.[1];
  await main.getByText("reserved").waitFor();
  const before = await reserved();
  expect(before).toMatch(/^\d+\.\d\d$/);
  await expect.poll(reserved).not.toBe(before);
  await done(page);
});

it("a double click refills once, and the result is shown", async () => {
  const page = await open("/accounts/46702000001", { user: "otto" });
  const dialog = await ask(page, "Refill…");
  const button = dialog.getByRole("button", { name: "Refill" });
  expect(await button.isDisabled()).toBe(true);
  await dialog.getByLabel("Amount in SEK").fill("100.10");
  expect(await dialog.getByLabel("Reference").inputValue()).toMatch(/^web-[0-9a-f]{16}$/);
  await dialog.getByLabel("Reason").fill("paid in the shop");
  expect(await barriers(page)).toEqual([]);
  await button.dblclick();
  await page.getByText("The main balance is 120.10 SEK", { exact: false }).waitFor();
  await history(page)
    .getByRole("row", { name: /100\.10 SEK/ })
    .waitFor();
  expect(
    await history(page)
      .getByRole("row", { name: /100\.10 SEK/ })
      .count(),
  ).toBe(1);
  await history(page).getByRole("button", { name: "Why entry 2" }).click();
  await page.getByText("paid in the shop").waitFor();
  await done(page);
});

it("an entry is reversed once, with a reason", async () => {
  const page = await open(ANNA, { user: "otto" });
  await history(page).getByRole("button", { name: "Why entry 59" }).click();
  const dialog = await ask(page, "Reverse entry 59…");
  await dialog.getByText("The account gets 1.25 SEK back", { exact: false }).waitFor();
  expect(await dialog.getByRole("button", { name: "Reverse" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Reason").fill("the call was cut");
  await page.keyboard.press("Enter");
  await page.getByText("Entry 59 is reversed.", { exact: false }).waitFor();
  await page.getByText("It is reversed by entry 62.").waitFor();
  expect(await page.getByRole("button", { name: "Reverse entry 59…" }).count()).toBe(0);
  // A reversal is not reversed.
  await history(page).getByRole("button", { name: "Why entry 62" }).click();
  await page.getByText("the call was cut").waitFor();
  expect(await page.getByRole("button", { name: "Reverse entry 62…" }).count()).toBe(0);
  await done(page);
});

it("an action that is refused says why in its dialog, and can be corrected there", async () => {
  const page = await open("/accounts/46702000001", { user: "otto" });
  const dialog = await ask(page, "Adjust…");
  await dialog.getByLabel("What to do").selectOption({ label: "take from a balance" });
  await dialog.getByLabel("Amount in SEK").fill("1000");
  await dialog.getByLabel("Reason").fill("a wrong refill");
  await dialog.getByRole("button", { name: "Adjust" }).click();
  await dialog.getByText("The account has less than that available.").waitFor();
  await dialog.getByText("not-enough", { exact: true }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByLabel("Amount in SEK").fill("5.50");
  await dialog.getByRole("button", { name: "Adjust" }).click();
  await page.getByText("5.50 SEK taken. The main balance is 14.50 SEK now.").waitFor();
  await done(page);
});

it("an account gets a bundle of data", async () => {
  const page = await open("/accounts/46702000001", { user: "otto", width: 390 });
  const dialog = await ask(page, "Adjust…");
  await dialog.getByLabel("What to do").selectOption({ label: "give a new balance" });
  await dialog.getByLabel("Unit").selectOption({ label: "octets of data" });
  await dialog.getByRole("checkbox", { name: "data" }).check();
  await dialog.getByLabel("Until (UTC)").fill("2031-01-01T00:00");
  await dialog.getByLabel("Amount in octets").fill("10 GB");
  await dialog.getByText("10,000,000,000 octets").waitFor();
  await dialog.getByLabel("Reason").fill("a bundle");
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await dialog.getByRole("button", { name: "Adjust" }).click();
  const bundle = page.getByRole("article", { name: "Balance 1 for data" });
  await bundle.getByText("10.0 GB").first().waitFor();
  await page.getByText("10,000,000,000 octets added. Balance 1 is 10,000,000,000 octets now.").waitFor();
  await bundle.getByText("2031-01-01 00:00:00").waitFor();
  await done(page);
});

it("money is transferred, and leads to the receiver", async () => {
  const page = await open("/accounts/46702000001", { user: "otto" });
  const dialog = await ask(page, "Transfer…");
  await dialog.getByLabel("To").fill("46702000001");
  await dialog.getByLabel("Amount in SEK").fill("2.00");
  await dialog.getByLabel("Reason").fill("to the child");
  await dialog.getByRole("button", { name: "Transfer" }).click();
  await dialog.getByText("the receiver is the sender", { exact: false }).waitFor();
  await dialog.getByLabel("To").fill("46703000000");
  await dialog.getByRole("button", { name: "Transfer" }).click();
  await page.getByText("2.00 SEK transferred to account 5.", { exact: false }).waitFor();
  await history(page).getByRole("button", { name: "Why entry 2" }).click();
  expect(await page.getByRole("button", { name: "Reverse entry 2…" }).count()).toBe(0);
  await history(page).getByRole("link", { name: "account 5" }).click();
  await page.getByRole("heading", { level: 1, name: "Account 5" }).waitFor();
  await history(page).getByText("transfer from account 2").waitFor();
  await done(page);
});

it("a session is ended, and an account blocked and unblocked, with reasons", async () => {
  const page = await open(ANNA, { user: "otto" });
  const dialog = await ask(page, "End…");
  await dialog.getByLabel("Reason").fill("it hangs");
  await dialog.getByRole("button", { name: "End" }).click();
  await page.getByText("The session is ended", { exact: false }).waitFor();
  await page.getByText("None. A call or connection is here").waitFor();
  await ask(page, "Block…");
  await dialog.getByLabel("Reason").fill("stolen");
  await dialog.getByRole("button", { name: "Block" }).click();
  await page.getByText("suspended", { exact: true }).waitFor();
  await ask(page, "Unblock…");
  await dialog.getByLabel("Reason").fill("found");
  await dialog.getByRole("button", { name: "Unblock" }).click();
  await page.getByRole("button", { name: "Block…" }).waitFor();
  await page.getByRole("link", { name: "All accounts" }).click();
  await page.getByRole("link", { name: "Changes" }).click();
  const changes = page.getByRole("table", { name: "Changes" });
  for (const reason of ["it hangs", "stolen", "found"]) await changes.getByText(reason).waitFor();
  expect(await barriers(page)).toEqual([]);
  await done(page);
});

it("each version of the definition shows what it has changed", async () => {
  const page = await open("/accounts?view=versions");
  const versions = page.getByRole("table", { name: "Versions" });
  await versions.getByText("charging.toml, tariff/prices.csv").waitFor();
  await versions.getByRole("button", { name: "Show version 2" }).click();
  const shown = page.getByRole("region", { name: "Version 2", exact: true });
  const prices = shown.getByRole("region", { name: "Changes of tariff/prices.csv" });
  for (const price of ["0.49", "0.59"]) await prices.getByText(price).waitFor();
  // A file that the version before did not have.
  await shown.getByRole("region", { name: "Changes of tariff/days.csv" }).getByText("day").first().waitFor();
  expect(await barriers(page)).toEqual([]);
  // It is in use.
  expect(await shown.getByRole("button", { name: "Put version 2 back…" }).count()).toBe(0);
  await versions.getByRole("button", { name: "Show version 1" }).click();
  const first = page.getByRole("region", { name: "Version 1", exact: true });
  await first.getByRole("region", { name: "Changes of charging.toml" }).getByText("plan").waitFor();
  await done(page);
});

it("an operator puts no version back, since it may need no second person for amounts", async () => {
  const page = await open("/accounts?view=versions", { user: "otto" });
  await page.getByRole("button", { name: "Show version 1" }).click();
  await page.getByRole("region", { name: "Changes of charging.toml" }).getByText("plan").waitFor();
  expect(await page.getByRole("button", { name: "Put version 1 back…" }).count()).toBe(0);
  await done(page);
});

it("a version of the definition is put back with a reason", async () => {
  const page = await open("/accounts?view=versions");
  const versions = page.getByRole("table", { name: "Versions" });
  await versions.getByRole("row", { name: "in use 2" }).waitFor();
  await versions.getByRole("button", { name: "Show version 1" }).click();
  await page.getByRole("button", { name: "Put version 1 back…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("wrong price");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Put back" }).click();
  await page.getByText("The files of version 1 are back: tariff/days.csv, tariff/prices.csv.").waitFor();
  await versions.getByRole("row", { name: "in use 3" }).waitFor();
  await page.getByRole("link", { name: "Changes" }).click();
  await page.getByRole("table", { name: "Changes" }).getByText("wrong price").waitFor();
  await done(page);
});

it("one file of a version is put back", async () => {
  const page = await open("/accounts?view=versions");
  const versions = page.getByRole("table", { name: "Versions" });
  await versions.getByRole("button", { name: "Show version 1" }).click();
  await page.getByRole("button", { name: "Put tariff/prices.csv back…" }).click();
  const dialog = page.getByRole("dialog", { name: "Put tariff/prices.csv of version 1 back?" });
  await dialog.getByLabel("Reason").fill("wrong price");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Put back" }).click();
  await page.getByText("tariff/prices.csv of version 1 is back.").waitFor();
  await versions.getByRole("row", { name: "in use 3" }).getByText("tariff/prices.csv", { exact: true }).waitFor();
  await done(page);
});

it("a number is added and removed, and the page stays with the account", async () => {
  const page = await open(ANNA, { user: "otto" });
  const dialog = await ask(page, "Add a number…");
  await dialog.getByLabel("Number").fill("+46 70 999 00 01");
  await dialog.getByLabel("Reason").fill("a second phone");
  await dialog.getByRole("button", { name: "Add" }).click();
  await page.getByRole("button", { name: "Remove the number 46709990001" }).waitFor();
  await ask(page, "Remove the number 46701234567");
  await dialog.getByLabel("Reason").fill("ported away");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("heading", { level: 1, name: "Account 1" }).waitFor();
  expect(page.url()).toContain("/accounts/%231");
  await page.getByRole("button", { name: "Remove the number 46709990001" }).waitFor();
  await done(page);
});

it("older entries stay when newer ones come", async () => {
  const page = await open(ANNA, { user: "otto" });
  await page.getByRole("button", { name: "Show more" }).click();
  await history(page)
    .getByRole("button", { name: /Why entry 1$/ })
    .waitFor();
  const session = await (await page.request.get("/api/session")).json();
  await page.request.post("/api/accounts/46701234567/refill", {
    headers: { "X-CSRF-Token": session.csrf },
    data: { amount: "7.00", reference: "voucher", because: "" },
  });
  await page.getByRole("button", { name: "1 more since then: show them" }).waitFor();
  await history(page)
    .getByRole("button", { name: /Why entry 1$/ })
    .waitFor();
  await page.getByRole("button", { name: "1 more since then: show them" }).click();
  await history(page).getByRole("button", { name: "Why entry 62" }).waitFor();
  await done(page);
});

it("accounts are opened, one by one and from a file", async () => {
  const page = await open("/accounts", { user: "otto" });
  const dialog = await ask(page, "Open an account…");
  await dialog.getByLabel("Numbers").fill("46701234567");
  await dialog.getByRole("button", { name: "Open" }).click();
  await dialog.getByText("number-taken", { exact: true }).waitFor();
  await dialog.getByLabel("Numbers").fill("46708880001, 46708880002");
  await dialog.getByRole("button", { name: "Open" }).click();
  await page.getByRole("heading", { level: 1, name: "Account of 46708880001" }).waitFor();
  await page.getByRole("link", { name: "All accounts" }).click();
  await ask(page, "Import…");
  const file = (text: string) => ({ name: "subscribers.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await dialog.getByLabel("File").setInputFiles(file("46708880003;5\n"));
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByText('is no line of "number,amount,type"', { exact: false }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByLabel("File").setInputFiles(file("number,amount\n46708880001,5\n46708880003,10.00\n"));
  await dialog.getByRole("button", { name: "Import" }).click();
  await page.getByText("1 account opened; 1 number had an account already.").waitFor();
  await ask(page, "Import…");
  await dialog.getByLabel("File").setInputFiles(file("46708880004,5\n+46708880004,7\n46708880004,7\n"));
  await dialog.getByRole("button", { name: "Import" }).click();
  await page.getByText("2 lines left out, with the number of a line before: the first is line 2").waitFor();
  await done(page);
});

it("a bundle is bought, which is shown with its price, and its renewal is cancelled", async () => {
  const page = await open("/accounts/46703000000", { user: "otto", width: 390 });
  const dialog = await ask(page, "Buy a bundle…");
  await dialog.getByText("9.00 SEK, from the main balance").waitFor();
  await dialog.getByText("1.0 GB for data").waitFor();
  await dialog.getByLabel("Bundle").selectOption("weekend");
  await dialog.getByText("3,600 seconds, 20 events").waitFor();
  await dialog.getByText("then it is bought again", { exact: false }).waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await dialog.getByRole("button", { name: "Buy" }).dblclick();
  await page.getByText("weekend is bought. The main balance is 45.00 SEK.").waitFor();
  await page.getByRole("article", { name: "Balance 1" }).waitFor();
  await expect.poll(() => history(page).getByText("bundle weekend").count()).toBe(3);
  await ask(page, "Cancel weekend…");
  await dialog.getByLabel("Reason").fill("asked for it");
  await dialog.getByRole("button", { name: "End the renewal" }).click();
  await page.getByText("weekend is not bought again.").waitFor();
  await page.getByRole("button", { name: "Cancel weekend…" }).waitFor({ state: "detached" });
  await done(page);
});

it("a bundle that the account cannot pay is not bought", async () => {
  const page = await open("/accounts/46702000002", { user: "otto" });
  const dialog = await ask(page, "Buy a bundle…");
  await page.route("**/buy", (route) =>
    route.fulfill({ status: 409, json: { error: "the account has less than that available", code: "not-enough" } }),
  );
  await dialog.getByRole("button", { name: "Buy" }).click();
  await dialog.getByText("not-enough", { exact: true }).waitFor();
  await done(page);
});

it("services are barred, and the type of the subscriber is changed", async () => {
  const page = await open("/accounts/46703000003", { user: "otto", width: 390 });
  const dialog = await ask(page, "Bar services…");
  await dialog.getByLabel("data").check();
  await dialog.getByRole("group", { name: "Tariff classes" }).getByLabel("premium").check();
  await dialog.getByLabel("Reason").fill("a child");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Change" }).click();
  await page.getByText("The account is barred from data, premium.").waitFor();
  await page
    .getByRole("definition")
    .filter({ hasText: /^data, premium$/ })
    .waitFor();
  await ask(page, "Type…");
  await dialog.getByLabel("Type of subscriber").selectOption("plus");
  await dialog.getByLabel("Reason").fill("a new contract");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Change" }).click();
  await page.getByText("The type is plus.").waitFor();
  await page
    .getByRole("definition")
    .filter({ hasText: /^plus$/ })
    .waitFor();
  expect(await isTooWide(page)).toBe(false);
  await done(page);
});

it("a credit limit is changed, and an account closed for ever", async () => {
  const page = await open("/accounts/46703000001", { user: "otto" });
  const dialog = await ask(page, "Credit limit…");
  await dialog.getByLabel("Credit limit in SEK").fill("25");
  await dialog.getByLabel("Reason").fill("a good customer");
  await dialog.getByRole("button", { name: "Change" }).click();
  await page.getByText("The credit limit is 25.00 SEK.").waitFor();
  await ask(page, "Close…");
  await dialog.getByText("It cannot be opened again", { exact: false }).waitFor();
  await dialog.getByLabel("Reason").fill("the contract ended");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Close for ever" }).click();
  await page.getByText("is closed.", { exact: false }).waitFor();
  await history(page).getByText("expired").waitFor();
  expect(await page.getByRole("button", { name: "Refill…" }).count()).toBe(0);
  await done(page);
});

it("a large refill waits for a second person, who approves it", async () => {
  const page = await open("/accounts/46703000002", { user: "otto" });
  const dialog = await ask(page, "Refill…");
  await dialog.getByLabel("Amount in SEK").fill("1500");
  await dialog.getByLabel("Reason").fill("a company");
  await dialog.getByRole("button", { name: "Refill" }).click();
  await page.getByText("this is request 1 now", { exact: false }).waitFor();
  await dialog.waitFor({ state: "detached" });
  expect(
    await history(page)
      .getByRole("row", { name: /1500\.00 SEK/ })
      .count(),
  ).toBe(0);
  await page.goto("/accounts?view=approvals");
  await ask(page, "Approve 1…");
  await dialog.getByText("account refill, account", { exact: false }).waitFor();
  await dialog.getByLabel("Reason").fill("it is paid");
  await dialog.getByRole("button", { name: "Approve" }).click();
  await dialog.getByText("second-person-needed", { exact: true }).waitFor();
  await page.request.post("/login", { data: { name: "anna", password: PASSWORD } });
  await page.reload();
  const approvals = page.getByRole("table", { name: "Approvals" });
  await approvals.getByText("account refill").waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await ask(page, "Approve 1…");
  await dialog.getByLabel("Reason").fill("it is paid");
  await dialog.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Request 1 is approved and done.").waitFor();
  await page.getByText("Nothing waits for approval").waitFor();
  await page.goto("/accounts/46703000002");
  await history(page)
    .getByRole("row", { name: /1500\.00 SEK/ })
    .waitFor();
  await done(page);
});

it("a viewer looks at accounts, and changes nothing", async () => {
  const page = await open(ANNA, { user: "vera" });
  await history(page).getByRole("button", { name: "Why entry 59" }).click();
  await page.getByText("numbers.csv:14").waitFor();
  const main = page.getByRole("main");
  const actions = /^(Refill|Buy|Credit|Close|Adjust|Transfer|Block|Add a number|Remove|End|Reverse)/;
  expect(await main.getByRole("button", { name: actions }).count()).toBe(0);
  await page.getByRole("link", { name: "All accounts" }).click();
  await page.getByRole("table", { name: "Accounts" }).getByRole("link").first().waitFor();
  expect(await main.getByRole("button", { name: /^(Open an account|Import)/ }).count()).toBe(0);
  await done(page);
});

it("an overdrawn balance, and a sum that is not zero, are alarming", async () => {
  const page = await open("/accounts/46702000002");
  await page.getByText("37.00 SEK available, overdrawn").waitFor();
  expect(await page.locator(".bar-overdrawn").count()).toBe(1);
  await page.route("**/api/charging", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), balanced: false } });
  });
  await page.getByRole("link", { name: "All accounts" }).click();
  await page.locator(".mark-critical", { hasText: "the sum is not zero" }).waitFor();
  await done(page);
});

it("a definition that is not in use is shown, with the way to a version that was", async () => {
  const page = await open("/alarms");
  const unused = 'charging.toml:6:12: "seconds" is a number from 1\n    6 | seconds = "x"';
  await page.route("**/api/charging", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), unused } });
  });
  await page.goto(new URL("/accounts", page.url()).href);
  const alert = page.getByRole("alert");
  await alert.getByText('6 | seconds = "x"', { exact: false }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await alert.getByRole("link", { name: "put a version back" }).click();
  await page.getByRole("table", { name: "Versions" }).waitFor();
  await done(page);
});

it("the navigation and the command palette have accounts where there is a charging system", async () => {
  const page = await open("/alarms");
  await openAreas(page);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Accounts" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("+46 701 234 567");
  await page.getByRole("option", { name: "Account of +46 701 234 567" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Account of 46701234567" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("prepaid");
  await page.getByRole("option", { name: "Accounts Charge" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Accounts" }).waitFor();
  await done(page);
});

it("without a charging system there are no accounts, and the page says how to get one", async () => {
  const page = await open("/alarms", { isEmpty: true });
  await openAreas(page);
  const navigation = page.getByRole("navigation", { name: "Pages" });
  await navigation.getByRole("link", { name: "Tariffs" }).waitFor();
  expect(await navigation.getByRole("link", { name: "Accounts" }).count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("46701234567");
  const palette = page.getByRole("dialog", { name: "Command palette" });
  await palette.getByRole("option", { name: "Record 46701234567 in suspense" }).waitFor();
  expect(await palette.getByRole("option", { name: /^Account of/ }).count()).toBe(0);
  await page.goto("/accounts");
  await page.getByText("charging.toml").waitFor();
  await page.getByText("tollgate charge run").waitFor();
  expect(await page.getByRole("button", { name: "Open an account…" }).count()).toBe(0);
  await done(page);
});
