/** The viewer of records. */
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

it("a value is found by its octets, and its octets by the value", async () => {
  const page = await open("/files");
  await page.getByRole("link", { name: "boston-10432.ber", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Records" }).waitFor();
  const parts = page.getByRole("tree", { name: "Parts of the record" });
  const chosen = page.getByRole("status", { name: "What is chosen" });
  const says = (text: string) => expect.poll(() => chosen.innerText()).toContain(text);
  const marked = page.locator(".octet-content");
  await parts.getByRole("treeitem", { name: /^callDuration/ }).click();
  await says("moCallRecord.callDuration: octets 12 to 14, its value 1 octet from 14");
  expect((await marked.allInnerTexts()).map((text) => text.trim())).toEqual(["11"]);
  // From an octet to its part: octet 5 belongs to the IMSI.
  await page.locator("[data-octet='5']").click();
  await says("moCallRecord.servedIMSI");
  expect(await parts.locator("[aria-selected='true'] .part-value").innerText()).toBe("240010234567891");
  expect(await marked.count()).toBe(8);
  // By keyboard, in both views.
  await parts.focus();
  await page.keyboard.press("End");
  await says("moCallRecord.location.cell");
  await page.keyboard.press("ArrowLeft");
  await says("moCallRecord.location: octets");
  await page.getByRole("group", { name: /^Octets of the record/ }).focus();
  await page.keyboard.press("ArrowUp");
  await says("moCallRecord");
  expect(await barriers(page)).toEqual([]);
  await done(page);
});

it("a file begins at its head, with the octets beside the parts, at 1280 pixels", async () => {
  const page = await open("/records?network_element=msc-boston&file=boston-10432.ber&record=7");
  const parts = page.getByRole("tree", { name: "Parts of the record" });
  await parts.waitFor();
  expect(await page.evaluate(() => document.querySelector("main")!.scrollTop)).toBe(0);
  const [left, right] = [await parts.boundingBox(), await page.locator(".octets").boundingBox()];
  expect(right!.x).toBeGreaterThanOrEqual(left!.x + left!.width);
  expect(await page.locator(".octets").evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
  await done(page);
});

it("octets that are no record are shown up to where they are damaged", async () => {
  const page = await open("/records?network_element=msc-boston&file=boston-10432.ber");
  await page.getByRole("button", { name: /Record 7/ }).click();
  await page.getByText("These octets are no record: an element is longer than what it lies in").waitFor();
  await page.getByText("What follows is shown up to octet 15 of them.").waitFor();
  expect(await page.locator(".octet-damage").innerText()).toContain("a2");
  expect(await page.getByRole("treeitem").count()).toBe(4);
  await done(page);
});

it("records are searched for by a field, and the search goes on where it ended", async () => {
  const page = await open("/records?network_element=msc-boston&file=boston-10432.ber", { width: 390 });
  const search = page.getByRole("search", { name: "Search in the file" });
  await search.getByLabel("Field").fill("cell");
  await search.getByLabel("Value has in it").fill("4851");
  await search.getByRole("button", { name: "Search" }).click();
  await page.getByRole("heading", { name: "No such record" }).waitFor();
  await page.getByText("100 records were read; the file goes on.").waitFor();
  await page.getByRole("link", { name: "Go on searching" }).click();
  await page.getByRole("button", { name: /Record 151/ }).waitFor();
  await page.getByRole("treeitem", { name: /^cell/ }).getByText("4851").waitFor();
  expect(await isTooWide(page)).toBe(false);
  expect(await barriers(page)).toEqual([]);
  await done(page);
});

it("where a record came from and where it went is beside it, and leads on to what was made of it", async () => {
  const page = await open("/records?network_element=msc-boston&file=boston-10432.ber&record=21");
  await page.locator("summary", { hasText: "Where it came from" }).click();
  const way = page.getByRole("region", { name: /^The trace of record/ }).first();
  await way.waitFor();
  await way
    .getByRole("link", { name: /\.(ber|csv|json)$/ })
    .first()
    .click();
  await page.getByText("as it was made").waitFor();
  await page.getByRole("tree").waitFor();
  await done(page);
});

it("a file that nobody has is said to be none", async () => {
  const page = await open("/records");
  await page.getByLabel("Network element").selectOption("msc-boston");
  await page.getByLabel("File", { exact: true }).fill("../flow.toml");
  await page.getByRole("button", { name: "Look into it" }).click();
  await page
    .getByRole("alert")
    .getByText(/No file "..\/flow.toml" came/)
    .waitFor();
  // Another file can be opened at once.
  await page.getByLabel("File", { exact: true }).fill("boston-10432.ber");
  await page.getByRole("button", { name: "Look into it" }).click();
  await page.getByRole("tree", { name: "Parts of the record" }).waitFor();
  await done(page);
});

it("what is delivered, traced or in suspense leads to its records", async () => {
  for (const [from, name] of [
    ["/deliveries?state=all", "Look at its records"],
    ["/trace?file=boston-10432.ber&record=1", "Look at its octets"],
    ["/suspense/919", "look at it in its file"],
  ] as const) {
    const page = await open(from);
    await page.getByRole("link", { name }).or(page.getByTitle(name)).first().click();
    await page.getByRole("heading", { level: 1, name: "Records" }).waitFor();
    await page.getByRole("tree").waitFor();
    await done(page);
  }
});
