/** Tariff plans: what a call costs, and a price that is changed. */
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

for (const width of [1280, 390]) {
  it(`the price of a call is explained, and each step leads to its line, at ${width} pixels`, async () => {
    const page = await open("/tariffs", { user: "vera", width });
    const plan = page.getByRole("region", { name: "Plan tariff" });
    const form = plan.getByRole("form", { name: "What a call costs by tariff" });
    await form.getByLabel("From", { exact: true }).fill("0701234567");
    await form.getByLabel("To", { exact: true }).fill("0721234567");
    await form.getByLabel("Start").fill("2026-06-01 18:59:30");
    await form.getByLabel("Duration").fill("60");
    await form.getByRole("button", { name: "What does it cost?" }).click();
    await page.getByRole("alert").getByText("this time has no zone").waitFor();
    await form.getByLabel("Start").fill("2026-06-01 18:59:30 Europe/Stockholm");
    await form.getByRole("button", { name: "What does it cost?" }).click();
    const price = plan.getByRole("region", { name: "The price, explained" });
    await expect.poll(() => price.getByRole("status").innerText()).toContain("1.28 SEK, 0.19 SEK of it tax");
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await price.getByRole("link", { name: "prices.csv, line 2" }).first().click();
    await page.getByRole("region", { name: "Table tariff/prices.csv" }).waitFor();
    await page.locator(".cm-activeLine", { hasText: "peak" }).waitFor();
    expect(await page.getByRole("button", { name: "Save and activate…" }).count()).toBe(0);
    await done(page);
  });
}

it("what has no tariff says which step found none", async () => {
  const page = await open("/tariffs");
  const form = page.getByRole("form", { name: "What a call costs by tariff" });
  await form.getByLabel("To", { exact: true }).fill("0999");
  await form.getByLabel("Start").fill("2026-06-01T12:00:00Z");
  await form.getByRole("button", { name: "What does it cost?" }).click();
  await page.getByText('no prefix of the other number "0999"').waitFor();
  await done(page);
});

it("a price is changed: a mistake is shown while it is written, and what is right becomes active", async () => {
  const page = await open("/tariffs?file=tariff/prices.csv&line=4", { user: "otto" });
  const text = page.getByRole("textbox", { name: "Text of tariff/prices.csv" });
  await text.waitFor();
  await page.locator(".cm-activeLine", { hasText: "fixed" }).waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("sms,,,*,,dear,,,,,");
  const check = page.getByRole("status", { name: "Check of the plan" });
  await check.getByText("This is no price: dear").waitFor();
  await page.keyboard.press("Shift+Home");
  await page.keyboard.type("sms,,,*,,0.20,,,,,");
  await check.getByText("No mistakes.").waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Save and activate…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Remark").fill("messages have a price");
  await dialog.getByRole("button", { name: "Save and activate" }).click();
  await page.getByText(/tariff\/prices.csv is active/).waitFor();
  await done(page);
});
