/** What rules have found: an alert, the values of its condition, and its record down to the octets. */
import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { expect, it } from "vitest";

import { open, run, useGateway, welcome } from "./gateway.ts";

/** The example of rules, with files of five switches in which one caller rings many numbers. */
const gateway = useGateway((_, folder) => {
  cpSync(resolve("../../../examples/fraud"), folder, { recursive: true });
  run(folder, "simulate", "fraud", ".", "--files", "800", "--wangiri", "1");
  return readFileSync(join(folder, "flow.toml"), "utf8");
});

it("an alert says why, and leads to its record", async () => {
  const anna = await open(gateway, gateway.link);
  await welcome(anna, "anna");
  await anna.getByRole("link", { name: "Fraud" }).click();
  const rows = anna.getByRole("table", { name: "Alerts" }).getByRole("row");
  const row = rows.filter({ hasText: "wangiri" });
  await expect
    .poll(
      async () => {
        await anna.getByRole("button", { name: "Look again" }).click();
        return row.count();
      },
      { timeout: 30_000 },
    )
    .toBe(1);
  const text = await row.innerText();
  expect(text).toContain("0099000000");
  expect(text).toMatch(/numbers 4\d >= 40/);
  await row.getByText("20 records").click();
  expect(await row.getByRole("listitem").count()).toBe(20);
  await row
    .getByRole("link", { name: /\.ber, \d+/ })
    .first()
    .click();
  await anna.getByText("0099000000").first().waitFor();
  await anna.goBack();
  await anna.getByRole("searchbox", { name: "Key" }).fill("0099000001");
  await anna.getByText("No such alert").waitFor();
  await anna.close();
});
