/** A tariff database is started from the example in the browser, on a real gateway. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { barriers, isTooWide, settled } from "../seen.ts";
import { open, useGateway, welcome } from "./gateway.ts";

const gateway = useGateway();

it("where nothing is rated, a database is begun with its first version, which prices a call", async () => {
  const anna = await open(gateway, gateway.link);
  await welcome(anna, "anna");
  await anna.goto("/tariffs");
  await anna.getByRole("link", { name: "Begin a tariff plan" }).click();
  const panel = anna.getByRole("region", { name: "A first version" });
  await panel.getByLabel("Database").fill("retail.db");
  const check = panel.getByRole("status", { name: "Check of the plan" });
  const text = panel.getByRole("textbox", { name: "Text of prices.csv" });
  await text.click();
  await anna.keyboard.press("Control+End");
  await anna.keyboard.type("mobile,2026-01-01,,peak,,0.60,min,1/1,0.49,,");
  await check.getByText(/this time has no zone/i).waitFor();
  await anna.keyboard.press("Shift+Home");
  await anna.keyboard.press("Delete");
  await check.getByText("No mistakes.").waitFor();
  const call = panel.getByRole("form", { name: "What a call costs by retail.db" });
  await call.getByLabel("From", { exact: true }).fill("0701234567");
  await call.getByLabel("To", { exact: true }).fill("0721234567");
  await call.getByLabel("Start").fill("2026-06-01 18:59:30 Europe/Stockholm");
  await call.getByLabel("Duration").fill("60");
  await call.getByRole("button", { name: "What does it cost?" }).click();
  await panel.getByText("0.94 SEK").first().waitFor();
  for (const width of [1280, 390]) {
    await anna.setViewportSize({ width, height: 800 });
    await settled(anna);
    expect(await barriers(anna)).toEqual([]);
    expect(await isTooWide(anna)).toBe(false);
  }
  await anna.setViewportSize({ width: 1280, height: 800 });
  expect(existsSync(join(gateway.folder, "retail.db"))).toBe(false);
  await panel.getByRole("button", { name: "Load as the first version…" }).click();
  const dialog = anna.getByRole("dialog");
  await dialog.getByLabel("Valid from").fill("2026-01-01T00:00");
  await dialog.getByLabel("Time zone").fill("Europe/Stockholm");
  await dialog.getByLabel("Reason").fill("the first prices");
  await dialog.getByRole("button", { name: "Load it" }).click();
  await anna.getByText(/Version 1 of retail.db is loaded, valid from 2026-01-01 00:00/).waitFor();
  await anna.getByRole("table", { name: "Versions of retail.db" }).getByText("valid now").waitFor();
  expect(existsSync(join(gateway.folder, "retail.db"))).toBe(true);
  await anna.getByText(/no node of the flow/).waitFor();
  await anna.goto("/trail");
  await anna.getByText("the first prices").first().waitFor();
  await anna.close();
});
