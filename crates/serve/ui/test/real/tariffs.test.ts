/** The price of a call; a price that is changed while the gateway runs, and reverted with the earlier version. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { open, useGateway, welcome } from "./gateway.ts";

const EXAMPLES = resolve("../../../examples");

/** The example of special prices. The plan is copied below its folder, so that versions include it. */
const gateway = useGateway((_, folder) => {
  cpSync(join(EXAMPLES, "rating"), folder, { recursive: true });
  cpSync(join(EXAMPLES, "tariff"), join(folder, "tariff"), { recursive: true });
  const script = join(folder, "scripts/special.dup");
  writeFileSync(script, readFileSync(script, "utf8").replaceAll("../../tariff", "../tariff"));
  return readFileSync(join(folder, "flow.toml"), "utf8").replaceAll("../tariff", "tariff");
});

async function costs(page: Page): Promise<string> {
  await page.goto("/tariffs");
  const plan = page.getByRole("region", { name: "Plan tariff" });
  const form = plan.getByRole("form", { name: "What a call costs by tariff" });
  await form.getByLabel("From", { exact: true }).fill("0701234567");
  await form.getByLabel("To", { exact: true }).fill("0721234567");
  await form.getByLabel("Start").fill("2026-06-01 18:59:30 Europe/Stockholm");
  await form.getByLabel("Duration").fill("60");
  await form.getByRole("button", { name: "What does it cost?" }).click();
  return plan.getByRole("region", { name: "The price, explained" }).getByRole("status").innerText();
}

it("a call is priced step by step, a price is changed with its mistakes shown, and the version before has the old one", async () => {
  const anna = await open(gateway, gateway.link);
  await welcome(anna, "anna");
  const before = await costs(anna);
  expect(before).toMatch(/\d\.\d\d SEK/);
  await anna
    .getByRole("link", { name: /prices.csv, line \d+/ })
    .first()
    .click();
  const text = anna.getByRole("textbox", { name: "Text of tariff/prices.csv" });
  await text.waitFor();
  const prices = readFileSync(join(gateway.folder, "tariff/prices.csv"), "utf8");
  const write = async (price: string) => {
    await text.click();
    await anna.keyboard.press("Control+a");
    await anna.keyboard.insertText(prices.replaceAll(",0.60,", `,${price},`));
  };
  const check = anna.getByRole("status", { name: "Check of the plan" });
  await write("dear");
  await check.getByText(/This is no number/).waitFor();
  await write("6.60");
  await check.getByText("No mistakes.").waitFor();
  await anna.getByRole("button", { name: "Save and activate…" }).click();
  const dialog = anna.getByRole("dialog");
  await dialog.getByLabel("Remark").fill("Dearer by day");
  await dialog.getByRole("button", { name: "Save and activate" }).click();
  await anna.getByText(/tariff\/prices.csv is active/).waitFor();
  expect(await costs(anna)).not.toBe(before);
  await anna.goto("/graph");
  await anna.getByRole("button", { name: "Versions" }).click();
  await anna.getByRole("button", { name: "Look at version 1" }).click();
  await dialog.getByRole("button", { name: "Activate…" }).click();
  await dialog.getByLabel("Reason").fill("The prices before");
  await dialog.getByRole("button", { name: "Activate", exact: true }).click();
  await anna.getByText(/Version 1 is active/).waitFor();
  expect(await costs(anna)).toBe(before);
  await anna.close();
});
