/** A tariff database, on a real gateway: viewed, edited, tried, loaded, withdrawn. */
import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { expect, it } from "vitest";

import { barriers, isTooWide, settled } from "../seen.ts";
import { open, run, useGateway, welcome } from "./gateway.ts";

const FLOWS = resolve("../../cli/tests/flows");
const PLAN = resolve("../../../examples/tariff");

const gateway = useGateway((_, folder) => {
  cpSync(PLAN, join(folder, "plan"), { recursive: true });
  cpSync(join(FLOWS, "rating.asn1"), join(folder, "rating.asn1"));
  const from = ["--valid-from", "2026-01-01 Europe/Stockholm", "--because", "prices of 2026"];
  run(folder, "tariff", "load", "plan", "tariffs.db", ...from);
  return readFileSync(join(FLOWS, "rating.toml"), "utf8").replace('"tariff"', '"tariffs.db"');
});

it("next year's prices are made from this year's, tried, loaded and withdrawn", async () => {
  const anna = await open(gateway, gateway.link);
  await welcome(anna, "anna");
  await anna.goto("/tariffs");
  const versions = anna.getByRole("table", { name: "Versions of tariffs.db" });
  await versions.getByText("valid now").waitFor();
  await versions.getByRole("link", { name: "Look at it, version 1 of tariffs.db" }).click();
  const panel = anna.getByRole("region", { name: "Version 1 of tariffs.db" });
  await panel.getByRole("button", { name: "Edit a copy" }).click();
  const text = panel.getByRole("textbox", { name: "Text of prices.csv" });
  await text.click();
  await anna.keyboard.press("Control+End");
  await anna.keyboard.type("mobile,2026-01-01,,peak,,0.60,min,1/1,0.49,,");
  const check = panel.getByRole("status", { name: "Check of the plan" });
  await check.getByText(/this time has no zone/i).waitFor();
  await anna.keyboard.press("Shift+Home");
  await anna.keyboard.press("Delete");
  await check.getByText("No mistakes.").waitFor();
  await panel.getByLabel("File").selectOption("tariff.toml");
  await panel.getByRole("textbox", { name: "Text of tariff.toml" }).click();
  await anna.keyboard.press("Control+End");
  await anna.keyboard.type("\n# of next year\n");
  const call = panel.getByRole("form", { name: "What a call costs by tariffs.db" });
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
  await panel.getByRole("button", { name: "Load as a version…" }).click();
  const dialog = anna.getByRole("dialog");
  await dialog.getByLabel("Valid from").fill("2099-01-01T00:00");
  await dialog.getByLabel("Time zone").fill("Europe/Stockholm");
  await dialog.getByLabel("Reason").fill("prices of 2099");
  await dialog.getByRole("button", { name: "Load it" }).click();
  await anna.getByText(/Version 2 of tariffs.db is loaded, valid from 2099-01-01 00:00 Europe\/Stockholm on/).waitFor();
  await anna.setViewportSize({ width: 1280, height: 800 });
  await versions.getByText("to come").waitFor();
  await versions.getByText("2098-12-31 23:00").first().waitFor();
  await versions.getByRole("link", { name: "Look at it, version 2 of tariffs.db" }).click();
  await anna.getByLabel("Compare with").selectOption("1");
  await anna.getByRole("region", { name: "Differences of tariff.toml" }).getByText("# of next year").waitFor();
  await anna.goto("/tariffs");
  await versions.getByRole("button", { name: "Withdraw version 2 of tariffs.db" }).click();
  await dialog.getByLabel("Reason").fill("of another year");
  await dialog.getByRole("button", { name: "Withdraw", exact: true }).click();
  await versions.getByText(/of another year/).waitFor();
  await anna.goto("/trail");
  await anna.getByText("tariff withdraw").first().waitFor();
});
