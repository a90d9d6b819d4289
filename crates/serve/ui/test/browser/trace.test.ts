/** The trace: a search for records by content. */
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

it("records are found by what is in them, an answer at a time", async () => {
  const page = await open("/trace");
  await page.getByLabel("By").selectOption("what is in it");
  await page.getByLabel("Expression").fill("record.callDuration > 600");
  await page.getByLabel("Files").fill("ny-*");
  await page.getByRole("button", { name: "Trace", exact: true }).click();
  await page.getByText("5 records found in 5,000 records of 5 files; there may be more").waitFor();
  const headings = page.getByRole("heading", { level: 2, name: /record 7$/ });
  expect(await headings.count()).toBe(5);
  const first = await headings.first().innerText();
  expect(first).toMatch(/^ny-/);
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("link", { name: "Look further" }).click();
  await expect.poll(() => headings.first().innerText()).not.toBe(first);
  expect(await page.getByLabel("Expression").inputValue()).toBe("record.callDuration > 600");
  await done(page);
});

it("a mistake in what is looked for is told", async () => {
  const page = await open("/trace?where=call.callDuration&files=ny-*", { width: 390 });
  await page.getByRole("alert").getByText('There is no variable "call".').waitFor();
  expect(await page.getByLabel("Files").inputValue()).toBe("ny-*");
  expect(await isTooWide(page)).toBe(false);
  await done(page);
});

it("where another file is asked for that nobody has, the record before is not shown below the reason", async () => {
  const page = await open("/trace?file=boston-10432.ber&record=1");
  await page.getByRole("heading", { level: 2, name: "boston-10432.ber, record 1" }).waitFor();
  await page.getByLabel("File").fill("no-such-file.ber");
  await page.getByRole("button", { name: "Trace", exact: true }).click();
  await page.getByRole("alert").getByText('No file "no-such-file.ber" was collected').waitFor();
  expect(await page.getByRole("heading", { level: 2 }).count()).toBe(0);
  await done(page);
});
