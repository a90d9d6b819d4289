/** A rating node is renamed, on a real gateway: its counters move to the new name and go on. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { expect, it } from "vitest";

import { barriers, isTooWide, settled } from "../seen.ts";
import { open, picture, useGateway, welcome } from "./gateway.ts";

const FLOWS = resolve("../../cli/tests/flows");
const PLAN = resolve("../../../examples/tariff");

const kept = (text: string) => text.replace('counters = "ignored"', 'counters = "kept"');

const gateway = useGateway((_, folder) => {
  cpSync(PLAN, join(folder, "tariff"), { recursive: true });
  cpSync(join(FLOWS, "rating.asn1"), join(folder, "rating.asn1"));
  const settings = join(folder, "tariff/tariff.toml");
  writeFileSync(settings, readFileSync(settings, "utf8").replace('subscriber = "consumer"', 'subscriber = "plus"'));
  mkdirSync(join(folder, "in"), { recursive: true });
  const header = "service,served,other,partner,start,duration,octets";
  const call = "telephony,0701234567,0721234567,,20261005120000Z,5000,";
  writeFileSync(join(folder, "in/calls.csv"), `${header}\n${call}\n`);
  return kept(readFileSync(join(FLOWS, "rating.toml"), "utf8"));
});

it("a node is renamed, an alarm says so, and its counters are moved without stopping the gateway", async () => {
  const anna = await open(gateway, gateway.link);
  await welcome(anna, "anna");
  const counters = anna.getByRole("table", { name: "Counters of 46701234567" });
  const none = anna.getByRole("heading", { name: "Nothing was counted of 46701234567" });
  const shown = async () => {
    await anna.goto("/tariffs?view=counters&account=46701234567");
    await counters.or(none).waitFor();
    return (await counters.count()) === 0 ? "" : counters.getByRole("row").nth(1).innerText();
  };
  await expect.poll(shown, { timeout: 30_000, interval: 1_000 }).toMatch(/price[^]*5000 seconds/);
  const flow = join(gateway.folder, "flow.toml");
  const text = readFileSync(flow, "utf8");
  writeFileSync(flow, text.replace("[rating.price]", "[rating.cost]").replace('from    = "price"', 'from    = "cost"'));
  await anna.goto("/tariffs");
  const doubted = anna.getByRole("table", { name: "Counters that need a decision" });
  // The row appears without a reload after the gateway raises the alarm.
  await doubted.getByRole("row").filter({ hasText: "price" }).waitFor();
  for (const width of [1280, 390]) {
    await anna.setViewportSize({ width, height: 800 });
    await settled(anna);
    expect(await barriers(anna)).toEqual([]);
    expect(await isTooWide(anna)).toBe(false);
  }
  await anna.setViewportSize({ width: 1280, height: 800 });
  await picture(anna, "counters");
  await doubted.getByRole("button", { name: "Move the counters of price" }).click();
  const dialog = anna.getByRole("dialog");
  expect(await dialog.getByLabel("Its name now").inputValue()).toBe("cost");
  await dialog.getByLabel("Reason").fill("it does more than prices");
  await dialog.getByRole("button", { name: "Move", exact: true }).click();
  await anna.getByText("The counters of 1 subscriber go from price to cost.").waitFor();
  await doubted.waitFor({ state: "detached" });
  expect(await shown()).toMatch(/cost[^]*5000 seconds/);
  await anna.goto("/alarms");
  await anna.getByRole("heading", { level: 1, name: "Alarms" }).waitFor();
  expect(await anna.getByText("counters-orphaned").count()).toBe(0);
  await anna.goto("/trail");
  await anna.getByText("it does more than prices").waitFor();
  await anna.close();
});
