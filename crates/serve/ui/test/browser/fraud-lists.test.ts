/** Lists of keys: looked at, changed entry by entry, and imported. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

const table = (page: Page, name: string) => page.getByRole("table", { name });

/** The rows below the heading, which a narrow window does not have. */
const entries = (page: Page) =>
  table(page, "Entries")
    .getByRole("row")
    .filter({ has: page.getByRole("cell") });

const csv = (text: string | Buffer) => ({ name: "new.csv", mimeType: "text/csv", buffer: Buffer.from(text) });

for (const width of [1280, 390]) {
  it(`lists have their numbers, and lead to what is dead, at ${width} pixels`, async () => {
    const page = await open("/fraud/lists", { user: "otto", width });
    const row = table(page, "Lists").getByRole("row").filter({ hasText: "call-centres" });
    await row.getByText("calls", { exact: true }).waitFor();
    await table(page, "Lists").getByText("lists/staff.csv:1:1").waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await row.getByRole("link", { name: "2", exact: true }).click();
    await expect.poll(() => entries(page).count()).toBe(2);
    await table(page, "Entries").getByText("never mattered").waitFor();
    await table(page, "Entries").getByText("over", { exact: true }).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.getByRole("combobox", { name: "Entries" }).selectOption("all");
    await expect.poll(() => entries(page).count()).toBe(4);
    await done(page);
  });
}

it("a key is searched for once it is written, also among entries for all keys that begin so", async () => {
  const page = await open("/fraud/lists?list=call-centres&node=calls", { user: "otto" });
  await table(page, "Entries").waitFor();
  await page.getByRole("searchbox", { name: "Key" }).fill("46709999999");
  expect(await entries(page).count()).toBe(4);
  await page.keyboard.press("Enter");
  await expect.poll(() => entries(page).count()).toBe(1);
  await table(page, "Entries").getByText("46709*").waitFor();
  await page.getByRole("searchbox", { name: "Key" }).fill("31");
  await page.locator(".filters").getByRole("button", { name: "Find" }).click();
  await page.getByText("No such entry").waitFor();
  await done(page);
});

it("an entry is added until a day, and removed, each with a reason", async () => {
  const page = await open("/fraud/lists?list=call-centres&node=calls", { user: "otto" });
  await page.getByRole("button", { name: "Add an entry…" }).click();
  const dialog = page.getByRole("dialog", { name: "Add to call-centres" });
  const add = dialog.getByRole("button", { name: "Add" });
  await dialog.getByLabel("Key").fill("46771234567");
  expect(await add.isDisabled()).toBe(true);
  await dialog.getByLabel("Reason").fill("a bank");
  await dialog.getByLabel("Until").fill("2099-05-01");
  expect(await barriers(page)).toEqual([]);
  await add.click();
  // It is there already.
  await dialog.getByText("holds as long").waitFor();
  await dialog.getByLabel("Key").fill("46770000001");
  await add.click();
  await page.getByText("46770000001 is in the list call-centres.").waitFor();
  const row = table(page, "Entries").getByRole("row").filter({ hasText: "46770000001" });
  for (const text of ["2099-05-01", "a bank", "otto", "never mattered"]) await row.getByText(text).waitFor();
  await row.getByRole("button", { name: "Remove 46770000001…" }).click();
  const removal = page.getByRole("dialog", { name: "Remove from call-centres?" });
  await removal.getByLabel("Reason").fill("it moved");
  await removal.getByRole("button", { name: "Remove", exact: true }).click();
  await row.waitFor({ state: "detached" });
  await page.goto("/trail");
  await page.getByRole("row").filter({ hasText: "fraud list remove" }).getByText("it moved").waitFor();
  await done(page);
});

it("an import shows mistakes with their places, then the differences, and is applied", async () => {
  const page = await open("/fraud/lists?list=call-centres&node=calls", { user: "otto" });
  await page.getByRole("button", { name: "Import…" }).click();
  const dialog = page.getByRole("dialog", { name: "Import into call-centres" });
  const compare = dialog.getByRole("button", { name: "Show the differences" });
  expect(await compare.isDisabled()).toBe(true);
  await dialog.getByLabel("File").setInputFiles(csv("key,until\n46709*,soon\n"));
  await compare.click();
  await dialog.getByText("1 mistake in new.csv").waitFor();
  await dialog.getByText("Line 2, column 8").waitFor();
  await dialog.getByLabel("File").setInputFiles(csv(Buffer.from([0x6b, 0xe5, 0x0a])));
  await compare.click();
  await dialog.getByText("new.csv is not in UTF-8").waitFor();
  const text = "key,source,because\n46709*,import,test numbers of ours\n46771234567,support,a bank\n4799,,new\n";
  await dialog.getByLabel("File").setInputFiles(csv(text));
  await compare.click();
  await dialog.getByText("1 added, 2 removed, 1 changed.").waitFor();
  const rows = table(page, "Differences").getByRole("row");
  await rows.filter({ hasText: "changed" }).getByText("a call centre of the tax office").waitFor();
  await rows.filter({ hasText: "changed" }).getByText("support, a bank").waitFor();
  expect(await barriers(page)).toEqual([]);
  const apply = dialog.getByRole("button", { name: "Apply" });
  expect(await apply.isDisabled()).toBe(true);
  await dialog.getByLabel("Reason").fill("those of June");
  await apply.click();
  await page.getByText("call-centres: 1 added, 2 removed, 1 changed.").waitFor();
  await table(page, "Entries").getByText("4799").waitFor();
  await expect.poll(() => entries(page).count()).toBe(3);
  await page.getByRole("button", { name: "Import…" }).click();
  await dialog.getByLabel("File").setInputFiles(csv(text));
  await compare.click();
  await dialog.getByText("Nothing is different").waitFor();
  await done(page);
});

it("a new list is made of a file", async () => {
  const page = await open("/fraud/lists", { user: "otto" });
  await page.getByRole("button", { name: "New list…" }).click();
  const dialog = page.getByRole("dialog", { name: "New list" });
  await dialog.getByLabel("File").setInputFiles(csv("key\n4670\n"));
  await dialog.getByLabel("Name").fill("../rules");
  const compare = dialog.getByRole("button", { name: "Show the differences" });
  expect(await compare.isDisabled()).toBe(true);
  await dialog.getByLabel("Name").fill("banks");
  await compare.click();
  await dialog.getByLabel("Reason").fill("the banks want it");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("heading", { level: 2, name: "banks" }).waitFor();
  await table(page, "Entries").getByText("4670").waitFor();
  await done(page);
});

it("the key of a case is added to a list", async () => {
  const page = await open("/fraud/cases/20", { user: "otto" });
  await page.getByRole("button", { name: "Add to a list…" }).click();
  const dialog = page.getByRole("dialog", { name: "Add to a list" });
  await dialog.getByText("0000021712>0000000047").waitFor();
  await dialog.getByLabel("List").selectOption("hot-ranges");
  await dialog.getByLabel("Reason").fill("watch it");
  await dialog.getByRole("button", { name: "Add" }).click();
  await page.getByText("is in the list hot-ranges.").waitFor();
  await page.goto("/fraud/lists?list=hot-ranges&node=calls");
  await table(page, "Entries").getByText("0000021712>0000000047").waitFor();
  await done(page);
});

it("a viewer sees masked entries, and changes nothing", async () => {
  const page = await open("/fraud/lists", { user: "vera" });
  await table(page, "Lists").getByText("they are shown to users who see subscriber data").waitFor();
  expect(await page.getByRole("button", { name: "New list…" }).count()).toBe(0);
  await table(page, "Lists").getByRole("link", { name: "call-centres" }).click();
  await page.getByText("Keys are masked").waitFor();
  expect(await page.getByText("46771234567").count()).toBe(0);
  expect(await page.getByRole("button", { name: /^(Add an|Import…|Remove)/ }).count()).toBe(0);
  await page.getByRole("searchbox", { name: "Key" }).fill("46771234567");
  await page.keyboard.press("Enter");
  await page.getByText("a search by key needs the role operator").waitFor();
  await done(page);
});

it("a list with mistakes says so, and leads back", async () => {
  const page = await open("/fraud/lists?list=staff&node=calls", { user: "otto" });
  await page.getByText("lists/staff.csv:1:1").waitFor();
  await page.getByRole("link", { name: "All lists" }).click();
  await table(page, "Lists").waitFor();
  await done(page);
});

it("a gateway without lists says how to have them", async () => {
  const page = await open("/fraud/lists", { user: "otto", isEmpty: true });
  await page.getByText("No fraud node has lists").waitFor();
  await done(page);
});
