/** Figure 2 of the paper, drawn with the mouse on an empty graph, on the real gateway. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { come, connect, node, open, useGateway, welcome } from "./gateway.ts";

/** The flow file with its modules only. */
const gateway = useGateway((flow) => flow.slice(0, flow.indexOf("[network-element.")));

/** Each node: its kind in the palette, its name, and its required settings. */
const NODES: [string, string, Record<string, string>][] = [
  ["network element", "msc-new-york", { "collect.dir": "in/new-york", "decode.type": "MSC.CallDataRecord" }],
  ["network element", "msc-boston", { "collect.dir": "in/boston", "decode.type": "MSC.CallDataRecord" }],
  ["filter", "isBillable", { script: "scripts/is_billable.dup" }],
  ["filter", "isRoaming", { script: "scripts/is_roaming.dup" }],
  ["formatter", "roaming-v8", { script: "scripts/roaming_v8.dup" }],
  ["formatter", "home-v8", { script: "scripts/home_v8.dup" }],
  ["formatter", "unbilled", { script: "scripts/unbilled.dup" }],
  [
    "post-processing system",
    "roaming-billing",
    { "encode.type": "Billing.RoamingRecord", "deliver.dir": "out/roaming" },
  ],
  ["post-processing system", "home-billing", { "encode.type": "Billing.HomeRecord", "deliver.dir": "out/home" }],
  ["post-processing system", "statistics", { "encode.type": "Billing.UnbilledCall", "deliver.dir": "out/statistics" }],
];

const EDGES: [string, string, string][] = [
  ["msc-new-york", "-", "isBillable"],
  ["msc-boston", "-", "isBillable"],
  ["isBillable", "true", "isRoaming"],
  ["isBillable", "false", "unbilled"],
  ["isRoaming", "true", "roaming-v8"],
  ["isRoaming", "false", "home-v8"],
  ["roaming-v8", "-", "roaming-billing"],
  ["home-v8", "-", "home-billing"],
  ["unbilled", "-", "statistics"],
];

/** Drops a kind on an empty place: a drop on a node would make that node its source. */
async function drag(page: Page, kind: string, name: string, settings: Record<string, string>): Promise<void> {
  await page
    .getByRole("button", { name: `Add a ${kind}`, exact: true })
    .dragTo(page.locator(".canvas"), { targetPosition: { x: 8, y: 8 } });
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name (required)").fill(name);
  for (const [key, value] of Object.entries(settings)) await dialog.getByLabel(key, { exact: true }).fill(value);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await node(page, name).waitFor();
  await page.getByRole("button", { name: "Close the panel" }).click();
}

it("figure 2 is drawn from nothing, saved and activated, and records flow as it says", async () => {
  const anna = await open(gateway, gateway.link);
  await welcome(anna, "anna");
  await anna.getByRole("button", { name: "Edit the flow" }).click();
  for (const [kind, name, settings] of NODES) await drag(anna, kind, name, settings);
  for (const [from, handle, to] of EDGES) {
    // Show the whole graph: the view has moved to the last node.
    await anna.locator(".react-flow__controls-fitview").click();
    await connect(anna, from, handle, to);
    const word = handle === "-" ? from : `${from}.${handle}`;
    await anna.getByRole("group", { name: `${word} to ${to}` }).waitFor({ state: "attached" });
  }
  await anna.getByRole("button", { name: "No mistakes" }).waitFor();
  await anna.getByRole("button", { name: "Save…" }).click();
  const dialog = anna.getByRole("dialog");
  await dialog.getByLabel("Remark").fill("As the paper draws it");
  await dialog.getByRole("button", { name: "Save and activate" }).click();
  await dialog.getByRole("button", { name: "Activate", exact: true }).click();
  await anna.getByText(/Version \d+ is active/).waitFor();
  const flow = readFileSync(join(gateway.folder, "flow.toml"), "utf8");
  expect(flow).toMatch(/^# The example of the paper/);
  await expect.poll(() => node(anna, "isBillable").innerText()).toMatch(/19\.9k/);
  await expect.poll(() => node(anna, "statistics").innerText()).toMatch(/[1-9]/);
  come(gateway);
  await expect.poll(() => anna.locator(".edge-figures").first().innerText()).toMatch(/[1-9].*\/s/);
  // All input is accounted for, and went where the figure says.
  const audit = await (await anna.request.get("/api/audit")).json();
  expect(audit).toMatchObject({ differences: [] });
  for (const folder of ["roaming", "home", "statistics"])
    expect(readdirSync(join(gateway.folder, "out", folder)).length, folder).toBeGreaterThan(0);
  await anna.close();
});
