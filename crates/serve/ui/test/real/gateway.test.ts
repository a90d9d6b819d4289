/** The work of a night, on the real gateway: the first login, the graph, a script, suspense, versions, users. */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { openAreas } from "../seen.ts";
import { come, connect, invited, node, open, picture, useGateway, welcome } from "./gateway.ts";

const gateway = useGateway();

let anna: Page;

it("the first one comes in by the link, and sees figure 2 with its records", async () => {
  anna = await open(gateway, gateway.link);
  await welcome(anna, "anna");
  for (const name of ["msc-boston", "msc-new-york", "isBillable", "isRoaming", "home-billing", "roaming-billing"])
    await node(anna, name).waitFor();
  await expect.poll(() => node(anna, "isBillable").innerText()).toMatch(/19\.9k/);
  come(gateway);
  await expect.poll(() => anna.locator(".edge-figures").first().innerText()).toMatch(/[1-9].*\/s/);
  await picture(anna, "graph");
});

it("a receiver is dragged in and connected, saved and activated, and records flow to it", async () => {
  await anna.getByRole("button", { name: "Edit", exact: true }).click();
  await anna
    .getByRole("button", { name: "Add a post-processing system" })
    .dragTo(anna.getByTestId("rf__wrapper"), { targetPosition: { x: 400, y: 60 } });
  const dialog = anna.getByRole("dialog");
  await dialog.getByLabel("Name (required)").fill("fraud");
  await dialog.getByLabel("encode.type").fill("Billing.RoamingRecord");
  await dialog.getByLabel("deliver.dir").fill("out/fraud");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await node(anna, "fraud").getByText("1 mistake").waitFor({ state: "attached" });
  await anna.getByRole("button", { name: "Close the panel" }).click();
  await connect(anna, "roaming-v8", "-", "fraud");
  await anna.getByRole("button", { name: "No mistakes" }).waitFor();
  // Undo restores a removed node with its edges.
  await node(anna, "statistics").click();
  await anna.keyboard.press("Delete");
  await node(anna, "statistics").waitFor({ state: "detached" });
  await anna.keyboard.press("Control+z");
  await node(anna, "statistics").waitFor();
  await anna.getByRole("group", { name: "unbilled to statistics" }).waitFor({ state: "attached" });
  await anna.getByRole("button", { name: "No mistakes" }).waitFor();
  await anna.getByRole("button", { name: "Changes" }).click();
  await dialog.getByText(/^\d lines added, 0 lines removed$/).waitFor();
  await dialog.getByText("[post-processing-system.fraud]").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await anna.locator(".react-flow__controls-fitview").click();
  await picture(anna, "edit");
  await anna.getByRole("button", { name: "Save…" }).click();
  await dialog.getByLabel("Remark").fill("Fraud gets roaming records too");
  await dialog.getByRole("button", { name: "Save and activate" }).click();
  await dialog.getByRole("button", { name: "Activate", exact: true }).click();
  await anna.getByText(/Version \d+ is active/).waitFor();
  expect(readFileSync(join(gateway.folder, "flow.toml"), "utf8")).toMatch(/^# The example of the paper/);
  come(gateway);
  await expect.poll(() => node(anna, "fraud").innerText()).toMatch(/[1-9]/);
  expect(readdirSync(join(gateway.folder, "out/fraud")).length).toBeGreaterThan(0);
});

it("a filter with a script of its own is dragged in, its script is written, and both run", async () => {
  await anna.getByRole("button", { name: "Edit", exact: true }).click();
  await anna
    .getByRole("button", { name: "Add a filter" })
    .dragTo(anna.locator(".canvas"), { targetPosition: { x: 8, y: 8 } });
  const dialog = anna.getByRole("dialog");
  await dialog.getByLabel("Name (required)").fill("isLong");
  await dialog.getByLabel("isRoaming.true", { exact: true }).check();
  await dialog.getByLabel("script", { exact: true }).fill("scripts/is_long.dup");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await anna.getByText(/Could not read the script/).waitFor();
  await anna.getByRole("link", { name: "Write the script" }).click();
  const text = anna.locator(".cm-content");
  await text.getByText("BOOLEAN isLong(cdr CONST CallDataRecord)").waitFor();
  await anna.getByText("No mistakes.").waitFor();
  await text.click();
  await anna.keyboard.press("Control+a");
  await anna.keyboard.insertText("BOOLEAN isLong(cdr CONST CallDataRecord)\n{\n  return cdr.callDuration > 60;\n}\n");
  await anna.getByRole("button", { name: "Keep the script" }).click();
  await anna.getByText("scripts/is_long.dup is kept.").waitFor();
  await anna.getByRole("link", { name: "Graph", exact: true }).first().click();
  await node(anna, "isLong").getByText("does not run yet").waitFor();
  await anna.getByRole("button", { name: "Save…" }).click();
  await dialog.getByLabel("Remark").fill("Long calls abroad are told apart");
  await dialog.getByRole("button", { name: "Save and activate" }).click();
  await dialog.getByRole("button", { name: "Activate", exact: true }).click();
  await anna
    .getByText(/Version \d+ is active/)
    .first()
    .waitFor();
  come(gateway);
  await expect.poll(() => node(anna, "isLong").innerText()).toMatch(/[1-9]/);
  await anna.goto("/scripts?file=scripts/is_long.dup");
  await anna.getByRole("button", { name: "Save and activate…" }).waitFor();
});

it("a script that is broken says where, and is not put in its place", async () => {
  await anna.goto("/scripts?file=scripts/is_roaming.dup");
  const before = readFileSync(join(gateway.folder, "scripts/is_roaming.dup"), "utf8");
  const text = anna.locator(".cm-content");
  await text.click();
  await anna.keyboard.press("Control+End");
  await anna.keyboard.type("\nBOOLEAN broken(cdr CONST CallDataRecord) { return cdr.nothing; }\n");
  await anna
    .getByText(/no .*nothing|nothing.* no /)
    .first()
    .waitFor();
  await picture(anna, "script");
  expect(readFileSync(join(gateway.folder, "scripts/is_roaming.dup"), "utf8")).toBe(before);
});

it("a record that a script refused is corrected and retried, and goes where it belongs", async () => {
  const script = join(gateway.folder, "scripts/is_billable.dup");
  const before = readFileSync(script, "utf8");
  const refusing = before.replace(
    "cause := cdr.causeForTermination;",
    "cause := cdr.causeForTermination + 0 * (1 / (cdr.callDuration % 10));",
  );
  expect(refusing).not.toBe(before);
  writeFileSync(script, refusing);
  await new Promise((after) => setTimeout(after, 3_000));
  come(gateway);
  const refused = async () => {
    const answer = await anna.request.get("/api/suspense?node=isBillable");
    return ((await answer.json()) as { records: unknown[] }).records.length;
  };
  await expect.poll(refused).toBeGreaterThan(0);
  await anna.goto("/suspense?node=isBillable");
  await anna
    .getByRole("table", { name: "Reasons" })
    .getByRole("link", { name: /^record \d+/ })
    .first()
    .click();
  await anna.getByRole("heading", { level: 1, name: /Record \d+ in suspense/ }).waitFor();
  await picture(anna, "suspense");
  // The script's page shows what refuses the record, and the result without that.
  const record = anna.url();
  await anna.goto("/scripts?file=scripts/is_billable.dup");
  await anna.locator(".cm-content").click();
  await anna.keyboard.press("Control+a");
  await anna.keyboard.insertText(before);
  const samples = anna.getByRole("region", { name: "Records through the script" });
  await samples.getByLabel("From").selectOption("suspense");
  await samples.getByRole("button", { name: "Run on records" }).click();
  await samples.getByText(/Something else becomes of [1-9]\d* of them.*as edited [\d.]+ ns a record/).waitFor();
  await samples
    .getByText(/refused → (true|false)/)
    .first()
    .waitFor();
  await samples.evaluate((element) => element.scrollIntoView({ block: "start" }));
  await picture(anna, "samples");
  await anna.getByRole("button", { name: "Give up the changes" }).click();
  await anna.goto(record);
  await anna.getByLabel("callDuration").fill("62");
  await anna.getByLabel("Reason").fill("a second more, says the switch");
  await anna.getByRole("button", { name: "Save the correction" }).click();
  await anna.getByRole("button", { name: "Retry…" }).click();
  await anna.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
  await anna
    .getByText(/delivered/)
    .first()
    .waitFor();
  writeFileSync(script, before);
});

it("a changed script is tried on files that came, what differs is seen, and it is activated", async () => {
  const script = "scripts/home_v8.dup";
  const before = readFileSync(join(gateway.folder, script), "utf8");
  await anna.goto(`/scripts?file=${script}`);
  await anna.locator(".cm-content").click();
  await anna.keyboard.press("Control+a");
  await anna.keyboard.insertText(before.replace("out.version := 8", "out.version := 9"));
  await anna.getByRole("link", { name: "Try on yesterday’s files" }).click();
  const form = anna.getByRole("form", { name: "What is to be tried" });
  await form.getByLabel("Files at most").fill("2");
  await form.getByRole("button", { name: "Try it" }).click();
  const tried = anna.getByRole("region", { name: `The draft of ${script}, tried` });
  await tried
    .getByText(/Something else would become of [\d,]+ of [\d,]+ records, in 2 of 2 files\./)
    .waitFor({ timeout: 120_000 });
  const row = tried
    .getByRole("table", { name: /^What home-billing gets of record/ })
    .first()
    .getByRole("row", { name: /version/ });
  await expect.poll(() => row.innerText()).toMatch(/version\s+8\s+9/);
  await picture(anna, "replay");
  await tried.getByRole("link", { name: `To ${script}` }).click();
  await anna.getByRole("button", { name: "Save and activate…" }).click();
  await anna.getByRole("dialog").getByLabel("Remark").fill("Billing takes version 9");
  await anna.getByRole("dialog").getByRole("button", { name: "Save and activate" }).click();
  await anna.getByText(/home_v8.dup is active/).waitFor();
  expect(readFileSync(join(gateway.folder, script), "utf8")).toContain("out.version := 9");
  writeFileSync(join(gateway.folder, script), before);
});

it("records are found by what is in them, and lead to their octets", async () => {
  await anna.goto("/trace");
  await anna.getByLabel("By").selectOption("what is in it");
  await anna.getByLabel("Expression").fill("record.callDuration > 300");
  await anna.getByLabel("Files").fill("boston-*");
  await anna.getByRole("button", { name: "Trace", exact: true }).click();
  await anna.getByText(/^20 records found in [\d,]+ records of 1 file; there may be more$/).waitFor();
  const first = anna.getByRole("heading", { level: 2, name: /^boston-.*, record \d+$/ }).first();
  const before = await first.innerText();
  await anna.getByRole("link", { name: "Look further" }).click();
  await expect.poll(() => first.innerText()).not.toBe(before);
  await anna.getByRole("link", { name: "Look at its octets" }).first().click();
  await anna.getByRole("heading", { level: 1, name: "Records" }).waitFor();
  await anna.getByText("callDuration").first().waitFor();
});

it("the version before is gone back to", async () => {
  await anna.goto("/graph");
  await node(anna, "fraud").waitFor();
  await anna.getByRole("button", { name: "Versions" }).click();
  const versions = anna.getByRole("region", { name: "Versions of the flow" });
  await versions.getByText("Fraud gets roaming records too").waitFor();
  await versions.getByRole("button", { name: "Look at version 1" }).click();
  const dialog = anna.getByRole("dialog");
  await dialog.getByRole("button", { name: "Activate…" }).click();
  await dialog.getByText("removed").first().waitFor();
  await dialog.getByLabel("Reason").fill("Fraud has enough");
  await dialog.getByRole("button", { name: "Activate", exact: true }).click();
  await anna.getByText(/Version 1 is active/).waitFor();
  await node(anna, "fraud").waitFor({ state: "detached" });
});

it("a viewer looks, and changes nothing", async () => {
  const vera = await invited(gateway, anna, "vera", "viewer");
  await node(vera, "isRoaming").waitFor();
  expect(await vera.getByRole("button", { name: "Edit", exact: true }).count()).toBe(0);
  await openAreas(vera);
  expect(await vera.getByRole("link", { name: "People" }).count()).toBe(0);
  const status = await vera.evaluate(async () => (await fetch("/api/people")).status);
  expect(status).toBe(403);
  for (const page of ["alarms", "files", "audit", "throughput"]) {
    await vera.goto(`/${page}`);
    await vera.getByRole("heading", { level: 1 }).waitFor();
    await vera.getByText("Asking the gateway").waitFor({ state: "detached" });
    await picture(vera, page);
  }
});
