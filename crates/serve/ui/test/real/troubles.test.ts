/**
 * Failures are noticed, found and repaired, on the real gateway: a script that refuses records, and a receiver that
 * does not answer.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";

import { barriers } from "../seen.ts";
import { come, node, open, useGateway, welcome } from "./gateway.ts";
import { useReceiver } from "./receiver.ts";

const SCRIPT = "scripts/is_billable.dup";

const receiver = useReceiver();

let mended = "";

/** The script refuses a tenth of all records. home-billing is remote, with a limit of hardly more than one file. */
const gateway = useGateway((flow, folder) => {
  mended = readFileSync(join(folder, SCRIPT), "utf8");
  const cause = "cause := cdr.causeForTermination";
  writeFileSync(join(folder, SCRIPT), mended.replace(cause, `${cause} + 0 * (1 / ((cdr.callDuration + 7) % 10))`));
  return flow.replace('deliver = { dir = "out/home"', `deliver = { url = "${receiver.address}/home", limit = "100 kB"`);
});

let anna: Page;

/** Returns the text of a sign of a node. */
const sign = (name: string, text: string | RegExp) => node(anna, name).locator(".node-signs .unseen").getByText(text);

const many = async (path: string, list: string): Promise<number> => {
  const answer = (await (await anna.request.get(path)).json()) as Record<string, unknown[]>;
  return answer[list]!.length;
};

beforeAll(async () => {
  anna = await open(gateway, gateway.link);
  await welcome(anna, "anna");
});

it("records that a script refuses are seen on its node", async () => {
  await expect.poll(() => many("/api/files", "files")).toBe(4);
  await anna.goto("/graph");
  await sign("isBillable", /^[\d,]+ records in suspense$/).waitFor({ state: "attached" });
  expect(await sign("isRoaming", /suspense/).count()).toBe(0);
  await node(anna, "isBillable").click();
  const panel = anna.getByRole("region", { name: "Filter isBillable" });
  await expect.poll(() => panel.innerText()).toMatch(/Suspended[\s\d,]*[1-9]/);
  await panel.getByRole("link", { name: "Open the script" }).click();
  await anna.getByRole("textbox", { name: `Text of ${SCRIPT}` }).waitFor();
});

it("who mends the script is shown what can be written, and what a name is", async () => {
  const editor = anna.getByRole("textbox", { name: `Text of ${SCRIPT}` });
  await editor.click();
  const name = "cdr.causeForTermination";
  const before = mended.slice(0, mended.indexOf(name));
  await anna.keyboard.press("Control+a");
  await anna.keyboard.insertText(mended.replace(name, ""));
  await anna.keyboard.press("Control+Home");
  for (let line = 1; line < before.split("\n").length; line += 1) await anna.keyboard.press("ArrowDown");
  await anna.keyboard.press("End");
  await anna.keyboard.press("ArrowLeft");
  await anna.keyboard.type("cdr.cau");
  const completions = anna.getByRole("listbox", { name: "Completions" });
  await completions.getByRole("option", { name: "causeForTermination" }).waitFor();
  expect(await completions.getByRole("option").first().innerText()).toMatch(/^causeForTermination/);
  await completions
    .locator(".cm-completionDetail")
    .getByText(/^causeForTermination/)
    .first()
    .waitFor();
  await completions.getByRole("option", { name: "causeForTermination" }).click();
  await editor.getByText("cause := cdr.causeForTermination;").waitFor();
  const explained = anna.locator(".cm-tooltip-hover");
  await anna.keyboard.press("Control+k");
  await anna.keyboard.press("Control+i");
  await explained.getByRole("link", { name: "msc.asn1:23" }).click();
  const module = anna.getByRole("region", { name: "Module asn1/msc.asn1" });
  await module
    .locator(".cm-activeLine")
    .getByText(/^\s*causeForTermination/)
    .waitFor();
  await module.getByRole("button", { name: "Close the module" }).click();
  await editor.getByText("cause := cdr.causeForTermination;").click();
  await anna.keyboard.press("End");
  await anna.keyboard.press("ArrowLeft");
  await anna.keyboard.press("Control+k");
  await anna.keyboard.press("Control+i");
  await explained.getByRole("link", { name: "msc.asn1:23" }).waitFor();
  await anna.keyboard.press("ArrowDown");
  await explained.waitFor({ state: "detached" });
  await editor.getByText("isBillable", { exact: true }).first().hover();
  await explained.getByText("BOOLEAN isBillable(cdr CONST CallDataRecord)").waitFor();
  expect(await barriers(anna)).toEqual([]);
  await anna.getByText("No mistakes.").waitFor();
  await anna.getByRole("button", { name: "Save and activate…" }).click();
  await anna.getByRole("dialog").getByLabel("Remark").fill("It divides by nothing any more");
  await anna.getByRole("dialog").getByRole("button", { name: "Save and activate" }).click();
  await anna.getByText(`${SCRIPT} is active`).waitFor();
});

it("all records that it refused are retried at once, and its node has none any more", async () => {
  const alike = await anna.request.get("/api/suspense/alike?node=isBillable");
  const { records: refused } = (await alike.json()) as { records: number };
  expect(refused).toBeGreaterThan(500);
  await anna.goto("/suspense?node=isBillable");
  const words = refused.toLocaleString("en");
  await anna.getByRole("button", { name: `Retry all ${words} records…` }).click();
  await anna.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
  await anna.getByText(new RegExp(`^${words} records retried: [\\d,]+ delivered`)).waitFor();
  expect(await many("/api/suspense?node=isBillable", "records")).toBe(0);
  await anna.goto("/graph");
  // The records that could not be read were not retried.
  await sign("msc-boston", "38 records in suspense").waitFor({ state: "attached" });
  expect(await sign("isBillable", /suspense/).count()).toBe(0);
  expect((await (await anna.request.get("/api/audit")).json()).differences).toEqual([]);
});

it("a node is searched for and brought to the middle; the graph is made larger, smaller, and seen whole", async () => {
  await node(anna, "isBillable").waitFor();
  await anna.keyboard.press("/");
  await anna.keyboard.type("home-b");
  await anna.getByRole("option", { name: "home-billing" }).waitFor();
  await anna.keyboard.press("Enter");
  await anna.getByRole("region", { name: "Post-processing system home-billing" }).waitFor();
  const box = async (name: string) => (await node(anna, name).boundingBox())!;
  const canvas = (await anna.getByTestId("rf__wrapper").boundingBox())!;
  const isInTheMiddle = async () => {
    const { x, width } = await box("home-billing");
    return Math.abs(x + width / 2 - canvas.x - canvas.width / 2) < canvas.width / 4;
  };
  await expect.poll(isInTheMiddle).toBe(true);
  await anna.getByRole("button", { name: "Close the panel" }).click();
  const { width } = await box("home-billing");
  const becomes = (compare: (now: number) => boolean) =>
    expect.poll(async () => compare((await box("home-billing")).width)).toBe(true);
  await anna.getByRole("button", { name: "Zoom In" }).click();
  await becomes((now) => now > 1.1 * width);
  await anna.getByRole("button", { name: "Zoom Out" }).click();
  await becomes((now) => Math.abs(now - width) < 1);
  await node(anna, "home-billing").hover();
  await anna.mouse.wheel(0, 400);
  await becomes((now) => now < 0.9 * width);
  await anna.getByRole("button", { name: "Fit View" }).click();
  for (const name of ["msc-boston", "msc-new-york", "home-billing", "roaming-billing", "statistics"])
    await expect.poll(async () => (await box(name)).x >= 0 && (await box(name)).x < 1280, { message: name }).toBe(true);
});

it("octets are found by the value that they are, and a value by its octets", async () => {
  await anna.goto("/records?network_element=msc-boston&file=boston-00002.ber&record=7");
  const parts = anna.getByRole("tree", { name: "Parts of the record" });
  const chosen = anna.getByRole("status", { name: "What is chosen" });
  const marked = async () => (await anna.locator(".octet-content").allInnerTexts()).map((text) => text.trim());
  const value = (name: RegExp) => parts.getByRole("treeitem", { name }).locator(".part-value").innerText();
  await parts.getByRole("treeitem", { name: /^callDuration/ }).click();
  await expect.poll(() => chosen.innerText()).toContain("callDuration: octets ");
  expect(Number.parseInt((await marked()).join(""), 16)).toBe(Number(await value(/^callDuration/)));
  // The octets of a number have two digits each, in swapped order.
  await parts.getByRole("treeitem", { name: /^servedIMSI/ }).click();
  await expect.poll(() => chosen.innerText()).toContain("servedIMSI: octets ");
  const digits = (await marked()).map((octet) => octet[1]! + octet[0]!).join("");
  expect(digits.replace(/f$/, "")).toBe(await value(/^servedIMSI/));
  const last = await anna.locator(".octet-content").last().getAttribute("data-octet");
  // From a part to its octets, too.
  await parts.getByRole("treeitem", { name: /^callDuration/ }).click();
  await expect.poll(() => chosen.innerText()).toContain("callDuration: octets ");
  await anna.locator(`[data-octet='${last}']`).click();
  await expect.poll(() => chosen.innerText()).toContain("servedIMSI: octets ");
  expect(await parts.locator("[aria-selected='true']").innerText()).toMatch(/^servedIMSI/);
});

it("a file that its receiver refused is seen on the node, and is delivered again", async () => {
  receiver.does = "refuse";
  come(gateway);
  await anna.goto("/graph");
  await sign("home-billing", "1 alarm").waitFor({ state: "attached" });
  await anna.goto("/deliveries?state=given-up");
  const refused = anna.getByRole("checkbox", { name: /^Choose .*-more-\d+\.ber$/ });
  await expect.poll(() => many("/api/deliveries?state=given-up", "deliveries")).toBe(2);
  await anna.getByRole("button", { name: "Look again" }).click();
  await expect.poll(() => refused.count()).toBe(2);
  await anna.getByText(/422/).first().waitFor();
  receiver.does = "take";
  await refused.first().click();
  await refused.last().click();
  await anna.getByRole("button", { name: "Retry 2 files" }).click();
  await anna.getByText("2 files will be delivered again.").waitFor();
  await anna.getByText("No such delivery").waitFor();
  await expect.poll(() => receiver.taken.filter((name) => name.includes("-more-")).length).toBe(2);
  await anna.goto("/graph");
  await node(anna, "home-billing").waitFor();
  await sign("home-billing", /alarm/).waitFor({ state: "detached" });
});

it("a receiver that is held up is seen on its node, and on those whose files wait for it", async () => {
  receiver.does = "hold";
  const waits = sign("msc-boston", /^\d+ files waiting, and more each second$/);
  await expect
    .poll(
      () => {
        come(gateway);
        return waits.count();
      },
      { interval: 1_000 },
    )
    .toBe(1);
  await sign("home-billing", /^[1-9]\d* files? waiting/).waitFor({ state: "attached" });
  await sign("home-billing", "1 alarm").waitFor({ state: "attached" });
  expect(await sign("statistics", /waiting|alarm/).count()).toBe(0);
  await node(anna, "home-billing").click();
  const panel = anna.getByRole("region", { name: "Post-processing system home-billing" });
  await panel.getByText(/have reached its limit of .*: no file is collected for it/).waitFor();
  receiver.letGo();
  for (const name of ["msc-boston", "msc-new-york", "home-billing"])
    await sign(name, /waiting|alarm/)
      .first()
      .waitFor({ state: "detached" });
  await panel.getByText(/have reached its limit/).waitFor({ state: "detached" });
  await anna.close();
});
