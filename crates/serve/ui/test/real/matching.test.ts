/** Records wait for others that never come, on the real gateway. An operator releases them with a reason. */
import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, isTooWide, settled } from "../seen.ts";
import { invited, node, open, useGateway, welcome } from "./gateway.ts";

const MODULE = `
CALLS DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Part ::= SEQUENCE { call INTEGER, number INTEGER, isLast BOOLEAN }
Call ::= SEQUENCE { call INTEGER, parts INTEGER }
END
`;

const SCRIPT = `
INTEGER key(part CONST Part) { return part.call; }

BOOLEAN complete(parts CONST SEQUENCE OF Part)
{
  declare end, place INTEGER := 0;
  for (place := 0; place < count(parts); place += 1)
  {
    if (parts[place].isLast) { end := parts[place].number; }
  }
  return end == count(parts);
}

NULL combine(parts CONST SEQUENCE OF Part, call Call)
{
  call.call := parts[0].call;
  call.parts := count(parts);
}
`;

const FLOW = `[asn1]
modules = ["asn1/calls.asn1"]

[network-element.msc]
collect = { dir = "in/parts", pattern = "*.json" }
decode  = { type = "CALLS.Part", codec = "json" }

[matching.calls]
from   = "msc"
script = "scripts/calls.dup"
wait   = { arrival = "1 day" }

[post-processing-system.billing]
from    = "calls"
encode  = { codec = "json" }
deliver = { dir = "out/calls" }
`;

const gateway = useGateway((_, folder) => {
  writeFileSync(join(folder, "asn1/calls.asn1"), MODULE);
  writeFileSync(join(folder, "scripts/calls.dup"), SCRIPT);
  mkdirSync(join(folder, "in/parts"), { recursive: true });
  const file = join(folder, "in/parts/parts-1.json");
  const part = (call: number, number: number) => JSON.stringify({ call, number, isLast: false });
  writeFileSync(file, [part(4711, 1), part(4711, 2), part(4712, 1), part(4713, 1), ""].join("\n"));
  // An old modification time shows that the network element has finished the file.
  const written = Date.now() / 1000 - 3600;
  utimesSync(file, written, written);
  return FLOW;
});

let anna: Page;

it("records wait, and the graph leads to their groups", async () => {
  anna = await open(gateway, gateway.link);
  await welcome(anna, "anna");
  await expect
    .poll(async () => (await (await anna.request.get("/api/matching/nodes")).json()).nodes?.[0]?.groups)
    .toBe(3);
  await node(anna, "calls").click();
  await anna.getByRole("region", { name: "Groups that wait" }).getByRole("link", { name: "3 groups wait" }).click();
  await anna.getByRole("heading", { level: 1, name: "Matching" }).waitFor();
  expect(new URL(anna.url()).search).toBe("?node=calls");
});

it("who runs the gateway lets a group go on with a reason, and it is delivered", async () => {
  await anna.getByRole("link", { name: "4711" }).click();
  await anna.getByRole("heading", { level: 1, name: "Group 4711" }).waitFor();
  for (const [width, colorScheme] of [
    [390, "dark"],
    [1280, "light"],
  ] as const) {
    await anna.emulateMedia({ colorScheme });
    await anna.setViewportSize({ width, height: 800 });
    expect(await barriers(anna)).toEqual([]);
    expect(await isTooWide(anna)).toBe(false);
  }
  const records = anna.getByRole("table", { name: "Records of the group" });
  await expect.poll(() => records.getByRole("row").count()).toBe(3);
  await anna.getByRole("button", { name: "Release…" }).click();
  await anna.getByRole("dialog").getByLabel("Reason").fill("the switch lost the rest");
  await anna.getByRole("dialog").getByRole("button", { name: "Release" }).click();
  await anna.getByText("1 group of 2 records: 1 released.").waitFor();
  await anna.getByText("anna asked to release it: the switch lost the rest").waitFor();
  const out = join(gateway.folder, "out/calls");
  const made = () => readdirSync(out).map((name) => readFileSync(join(out, name), "utf8"));
  await expect.poll(made).toContain('{"call":4711,"parts":2}\n');
  // Each record has links to its file and to its way.
  await records.getByRole("link", { name: "Look at record 1 of parts-1.json" }).click();
  await anna.getByRole("heading", { level: 1, name: "Records" }).waitFor();
  await anna.getByText("isLast").first().waitFor();
});

it("what is left is given up at once, and all of it is in the trail and the audit", async () => {
  await anna.goto("/matching?node=calls");
  await anna.getByRole("button", { name: "Drop all 2 groups in calls…" }).click();
  await anna.getByRole("dialog").getByLabel("Reason").fill("test calls");
  await anna.getByRole("dialog").getByRole("button", { name: "Drop" }).click();
  await anna.getByText("2 groups of 2 records: 2 dropped.").waitFor();
  await anna.getByText("No such group").waitFor();
  await anna.goto("/trail");
  await anna
    .getByRole("row", { name: /matching release/ })
    .getByText("the switch lost the rest")
    .waitFor();
  await anna
    .getByRole("row", { name: /matching drop/ })
    .getByText("test calls")
    .waitFor();
  const audit = await (await anna.request.get("/api/audit")).json();
  expect(audit).toMatchObject({ differences: [] });
});

it("a viewer sees what waits, and may neither search by a key nor end it", async () => {
  const vera = await invited(gateway, anna, "vera", "viewer");
  await vera.goto("/matching?key=4711");
  await vera.getByText("a search by key needs the role operator").first().waitFor();
  await vera.goto("/matching");
  await settled(vera);
  expect(await vera.getByRole("button", { name: /^(Release|Suspend|Drop)/ }).count()).toBe(0);
  const status = await vera.evaluate(async () => {
    const { csrf } = (await (await fetch("/api/session")).json()) as { csrf: string };
    const body = JSON.stringify({ end: "drop", node: "calls", because: "no" });
    const headers = { "Content-Type": "application/json", "X-CSRF-Token": csrf };
    return (await fetch("/api/matching/end", { method: "POST", headers, body })).status;
  });
  expect(status).toBe(403);
});
