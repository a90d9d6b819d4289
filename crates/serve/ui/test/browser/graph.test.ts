/** The graph: view, edit with mouse and keyboard, save, activate, and go back. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, openAreas, useGateway } from "./gateway.ts";
import { PASSWORD } from "../fake/world.ts";

useGateway();

const node = (page: Page, name: string) => page.locator(`.react-flow__node[data-id="${name}"]`);

/** Returns the names of the nodes. Figure 2 has nine nodes. */
const names = (page: Page) =>
  page.locator(".react-flow__node").evaluateAll((all) => all.map((each) => each.getAttribute("data-id")).sort());

async function edit(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("button", { name: "Add", exact: true }).waitFor();
}

async function connect(page: Page, from: string, handle: string, to: string): Promise<void> {
  await rests(page, to);
  const start = (await node(page, from)
    .locator(`.react-flow__handle.source[data-handleid="${handle}"]`)
    .boundingBox())!;
  const end = (await node(page, to).locator(".react-flow__handle.target").boundingBox())!;
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(start.x + 40, start.y + 10, { steps: 4 });
  await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 8 });
  await page.mouse.up();
}

/** Waits until a node stops moving: the graph uses the space that a panel left. */
async function rests(page: Page, name: string): Promise<void> {
  let before = "";
  const isThere = async () => {
    const now = JSON.stringify(await node(page, name).boundingBox());
    const isSame = now === before;
    before = now;
    return isSame;
  };
  await expect.poll(isThere, { interval: 150 }).toBe(true);
}

it("records a second stand on every edge, and move", async () => {
  const page = await open("/graph");
  await page.locator(".edge-figures").nth(8).waitFor();
  expect(await page.locator(".edge-figures").count()).toBe(9);
  const figures = () => page.locator(".edge-figures").allInnerTexts();
  const before = await figures();
  await expect
    .poll(async () => (await figures()).filter((each, place) => each !== before[place]).length, { timeout: 10_000 })
    .toBe(9);
  expect((await figures()).every((each) => /\/s/.test(each))).toBe(true);
  await done(page);
});

it("the window of the figures is chosen above the graph, and chosen still after a reload", async () => {
  const page = await open("/graph");
  const group = page.getByRole("group", { name: "Figures of" });
  const chosen = () => group.locator('[aria-pressed="true"]').innerText();
  await page.locator(".edge-figures").nth(8).waitFor();
  expect(await chosen()).toBe("10 s");
  // All windows are in the tooltip. Each has a rate from the first second on.
  const words = async () => {
    const title = (await node(page, "isRoaming").locator(".node-figures").getAttribute("title")) ?? "";
    return title.split("\n").map((line) => line.replace(/[\d.,]+ records, [\d.,]+k?/, "N"));
  };
  await expect.poll(words, { timeout: 3_000 }).toEqual(["10 s: N/s", "5 min: N/s", "today: N/s"]);
  await group.getByRole("button", { name: "today" }).click();
  expect(await chosen()).toBe("today");
  await page.reload();
  await page.locator(".edge-figures").nth(8).waitFor();
  expect(await chosen()).toBe("today");
  await page.getByRole("button", { name: "As a table" }).click();
  await page.getByRole("columnheader", { name: "Records, today" }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await done(page);
});

it("the panel of a node has what became of its records in each window, and its edges", async () => {
  const page = await open("/graph");
  await node(page, "isRoaming").click();
  const panel = page.getByRole("region", { name: "Filter isRoaming" });
  const table = panel.getByRole("table", { name: "Records of isRoaming" });
  await table.waitFor();
  const row = async (name: string) => {
    const cells = await table
      .getByRole("row", { name: new RegExp(`^${name}`) })
      .getByRole("cell")
      .allInnerTexts();
    return cells.map((cell) => Number(cell.replaceAll(",", "")));
  };
  await expect.poll(async () => (await row("In"))[2]).toBeGreaterThan(0);
  const isWhole = async () => {
    const [all, out, home, roaming] = await Promise.all(["In", "Out", "→ home-v5", "→ roaming-v8"].map(row));
    return all!.every((records, span) => records === out![span] && records === home![span]! + roaming![span]!);
  };
  // The figures may change between two reads.
  await expect.poll(isWhole).toBe(true);
  expect(await barriers(page)).toEqual([]);
  await done(page);
});

it("an edge that does not run yet has no figures, and does not move", async () => {
  const page = await open("/graph");
  await page.locator(".edge-figures").nth(8).waitFor();
  await edit(page);
  await node(page, "statistics").click();
  const panel = page.getByRole("region", { name: "Post-processing system statistics" });
  await panel.getByLabel("Take records from one more").selectOption("isRoaming.false");
  const line = page.getByRole("group", { name: "isRoaming.false to statistics" });
  await line.waitFor({ state: "attached" });
  expect(await line.locator(".edge-flowing").count()).toBe(0);
  expect(await page.locator(".edge-figures").count()).toBe(9);
  await done(page);
});

it("what waits, what is suspended and what is raised is seen on the node", async () => {
  const page = await open("/graph");
  const boston = node(page, "msc-boston");
  await boston.getByText(/files waiting, and more each second/).waitFor({ state: "attached" });
  await boston.getByText("2 alarms").waitFor({ state: "attached" });
  await node(page, "roaming-v8").getByText("19 records in suspense").waitFor({ state: "attached" });
  await boston.click();
  await page
    .getByRole("region", { name: "Network element msc-boston" })
    .getByText("3 files are missing: 10417 to 10419")
    .waitFor();
  await done(page);
});

it("what waits to be merged into one file is told beside the node that gets it", async () => {
  const page = await open("/graph");
  await node(page, "statistics").click();
  const openFile = page.getByRole("region", { name: "The file that is gathered" });
  await openFile.getByText("48.2 kB", { exact: true }).waitFor();
  await openFile.getByText("1,431", { exact: true }).waitFor();
  await openFile.getByText(/or before that with 40 outputs, 50.0 MB/).waitFor();
  const [since, closed] = await openFile
    .locator("time")
    .evaluateAll((all) => all.map((each) => Date.parse(each.getAttribute("datetime")!)));
  expect(closed! - since!).toBe(15 * 60_000);
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Close the panel" }).click();
  await node(page, "home-billing").click();
  const other = page.getByRole("region", { name: "Post-processing system home-billing" });
  await other.getByText("out/home", { exact: true }).waitFor();
  await openFile.waitFor({ state: "detached" });
  await done(page);
});

it("a node is found by a part of its name, brought to the middle, and its settings are beside it", async () => {
  const page = await open("/graph");
  await page.getByRole("heading", { level: 1, name: "msc-billing" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("home-b");
  await page.getByRole("option", { name: "home-billing" }).waitFor();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("region", { name: "Post-processing system home-billing" });
  await panel.getByText("out/home", { exact: true }).waitFor();
  const canvas = (await page.getByTestId("rf__wrapper").boundingBox())!;
  await expect
    .poll(async () => {
      const box = (await node(page, "home-billing").boundingBox())!;
      return Math.abs(box.x + box.width / 2 - canvas.x - canvas.width / 2) < canvas.width / 4;
    })
    .toBe(true);
  await done(page);
});

it("a node that is chosen already comes back when it is pressed, from behind the check and the versions", async () => {
  const page = await open("/graph");
  await edit(page);
  await node(page, "statistics").click();
  const panel = page.getByRole("region", { name: "Post-processing system statistics" });
  for (const [button, other] of [
    ["No mistakes", "Check of the flow"],
    ["Versions", "Versions of the flow"],
  ] as const) {
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("region", { name: other }).waitFor();
    await node(page, "statistics").click();
    await panel.waitFor();
    expect(await page.getByRole("region", { name: other }).count()).toBe(0);
    await page.getByRole("button", { name: button }).click();
    await page.getByRole("region", { name: other }).waitFor();
    await node(page, "statistics").press("Enter");
    await panel.waitFor();
  }
  await done(page);
});

it("a node that is chosen is in the address, and is there again after a reload", async () => {
  const page = await open("/graph");
  await node(page, "isRoaming").click();
  await page.getByRole("region", { name: "Filter isRoaming" }).waitFor();
  expect(page.url()).toMatch(/\/graph\?node=isRoaming$/);
  await page.reload();
  await page.getByRole("region", { name: "Filter isRoaming" }).waitFor();
  await expect.poll(async () => (await node(page, "isRoaming").boundingBox())!.width).toBeGreaterThan(120);
  await page.getByRole("button", { name: "Close the panel" }).click();
  expect(page.url()).toMatch(/\/graph$/);
  await done(page);
});

it("a node is dragged in, connected, taken back and done again, saved, activated, and the version before is gone back to", async () => {
  const page = await open("/graph", { user: "otto" });
  await edit(page);
  await page
    .getByRole("button", { name: "Add a post-processing system" })
    .dragTo(page.getByTestId("rf__wrapper"), { targetPosition: { x: 400, y: 40 } });
  const dialog = page.getByRole("dialog");
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
  await page.keyboard.type("fraud");
  await dialog.getByLabel("encode.type").fill("Billing.RoamingRecord");
  await dialog.getByLabel("deliver.dir").fill("out/fraud");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await node(page, "fraud").waitFor();
  await node(page, "fraud").getByText("1 mistake").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Close the panel" }).click();
  await connect(page, "roaming-v8", "-", "fraud");
  await page.getByRole("button", { name: "No mistakes" }).waitFor();
  await page.keyboard.press("Control+z");
  await page.getByRole("button", { name: "1 mistake" }).waitFor();
  await page.getByRole("button", { name: "Redo" }).click();
  await page.getByRole("button", { name: "No mistakes" }).waitFor();

  await page.getByRole("button", { name: "Changes" }).click();
  await dialog.getByText("[post-processing-system.fraud]").waitFor();
  await dialog.getByText("5 lines added, 0 lines removed").waitFor();
  const hidden = dialog.getByText(/unchanged lines/);
  await expect.poll(() => hidden.count()).toBe(2);
  expect(await barriers(page)).toEqual([]);
  const whole = dialog.getByRole("button", { name: "Show all lines" });
  await whole.press("Enter");
  await expect.poll(() => hidden.count()).toBe(0);
  await whole.press("Enter");
  await expect.poll(() => hidden.count()).toBe(2);
  await hidden.first().click();
  await expect.poll(() => hidden.count()).toBe(0);
  await dialog.getByRole("button", { name: "Close" }).click();

  await page.getByRole("button", { name: "Save…" }).click();
  expect(await dialog.getByRole("button", { name: "Save and activate" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Remark").fill("Fraud gets roaming records too");
  await dialog.getByRole("button", { name: "Save and activate" }).click();
  // The consequences are shown before, and the remark of the version is the reason unless another one is given.
  await dialog.getByText("1 receiver is added: fraud").waitFor();
  expect(await dialog.getByLabel("Reason").inputValue()).toBe("Fraud gets roaming records too");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Activate" }).click();
  await page.getByText("Version 4 is active; changed: flow.toml.").waitFor();
  await node(page, "fraud").waitFor();
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();

  await page.getByRole("button", { name: "Versions" }).click();
  const versions = page.getByRole("region", { name: "Versions of the flow" });
  await versions.getByText("Fraud gets roaming records too").waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await versions.locator(".table-frame").evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
  await versions.getByRole("button", { name: "Look at version 2" }).click();
  await dialog.getByText("0 lines added, 5 lines removed").waitFor();
  await dialog.getByText("tables/numbering.csv: it has more than 16 MiB").waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Activate…" }).click();
  await dialog.getByText("1 receiver is removed: fraud").waitFor();
  expect(await dialog.getByRole("button", { name: "Activate" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Reason").fill("Fraud asked for it");
  await dialog.getByRole("button", { name: "Activate" }).click();
  await page.getByText("Version 2 is active; changed: flow.toml.").waitFor();
  await node(page, "fraud").waitFor({ state: "detached" });
  await done(page);
});

it("a version with the same flow file and another script is not said to be the same", async () => {
  const page = await open("/graph");
  const csrf = await page.evaluate(async () => ((await (await fetch("/api/session")).json()) as { csrf: string }).csrf);
  const path = "/api/scripts/scripts/roaming_v8.dup";
  const { digest, text } = (await (await page.request.get(path)).json()) as { digest: string; text: string };
  await page.getByRole("button", { name: "Versions" }).click();
  const look = async () => page.getByRole("button", { name: "Look at version 2" }).click();
  const dialog = page.getByRole("dialog");
  await look();
  await dialog.getByText("Nothing is different.").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.request.put(path, {
    data: { text: `${text}-- A remark.\n`, based_on: digest, remark: "" },
    headers: { "X-CSRF-Token": csrf },
  });
  await look();
  await dialog.getByText("The flow file is the same.").waitFor();
  await dialog
    .getByRole("region", { name: "scripts/roaming_v8.dup", exact: true })
    .getByText("1 line removed")
    .waitFor();
  expect(await dialog.getByText("Nothing is different.").count()).toBe(0);
  await done(page);
});

it("figure 2 is built from nothing with the keyboard", async () => {
  const page = await open("/graph", { isEmpty: true });
  await page.getByRole("button", { name: "Edit the flow" }).press("Enter");
  const dialog = page.getByRole("dialog");
  const add = async (kind: string, name: string, fields: Record<string, string>, from: string[] = []) => {
    await page.getByRole("button", { name: "Add", exact: true }).press("Enter");
    await dialog.getByLabel("Kind").selectOption(kind);
    await dialog.getByLabel("Name (required)").fill(name);
    for (const word of from) await dialog.getByRole("checkbox", { name: word, exact: true }).press("Space");
    for (const [key, value] of Object.entries(fields)) await dialog.getByLabel(key).fill(value);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await node(page, name).waitFor();
  };
  await add("network-element", "msc-boston", { "collect.dir": "in/boston", "decode.type": "MSC.CallDataRecord" });
  await add("network-element", "msc-new-york", { "collect.dir": "in/new-york", "decode.type": "MSC.CallDataRecord" });
  await add("filter", "isBillable", { script: "scripts/is_billable.dup" }, ["msc-boston", "msc-new-york"]);
  await add("filter", "isRoaming", { script: "scripts/is_roaming.dup" }, ["isBillable.true"]);
  await add("post-processing-system", "roaming-billing", {
    "encode.type": "Billing.RoamingRecord",
    "deliver.dir": "out/roaming",
  });
  const panel = page.getByRole("region", { name: "Post-processing system roaming-billing" });
  await panel.getByText("takes records from nowhere").waitFor();
  await panel.getByLabel("Take records from one more").selectOption("isRoaming.true");
  await page.getByRole("button", { name: "No mistakes" }).waitFor();
  await panel.getByLabel("deliver.name").fill("{stem}.ber");
  await panel.getByLabel("deliver.name").press("Enter");
  await panel.getByLabel("Name", { exact: true }).fill("roaming");
  await panel.getByRole("button", { name: "Rename" }).press("Enter");
  await node(page, "roaming").waitFor();
  await page
    .getByRole("region", { name: "Post-processing system roaming" })
    .getByRole("button", { name: "Remove" })
    .press("Enter");
  await node(page, "roaming").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await node(page, "roaming").waitFor();
  expect(await names(page)).toEqual(["isBillable", "isRoaming", "msc-boston", "msc-new-york", "roaming"]);
  await page.getByRole("button", { name: "Changes" }).press("Enter");
  await dialog.getByText('deliver = { dir = "out/roaming", name = "{stem}.ber" }').waitFor();
  await done(page);
});

it("an edge is chosen and removed, and so is a node, with the Delete key", async () => {
  const page = await open("/graph");
  await edit(page);
  await page.getByRole("group", { name: "isRoaming.false to home-v5" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Delete");
  await page.getByRole("button", { name: "1 mistake" }).waitFor();
  await node(page, "statistics").focus();
  await page.keyboard.press("Enter");
  await node(page, "statistics").focus();
  await page.keyboard.press("Delete");
  await node(page, "statistics").waitFor({ state: "detached" });
  await done(page);
});

it("the Delete key takes what has the focus, whatever is chosen, and nothing from a control", async () => {
  const page = await open("/graph");
  await edit(page);
  await node(page, "isRoaming").click();
  await page.getByRole("region", { name: "Filter isRoaming" }).waitFor();
  await page.getByRole("button", { name: "Zoom In" }).focus();
  await page.keyboard.press("Delete");
  await page.keyboard.press("Backspace");
  const all = await names(page);
  expect(all).toContain("isRoaming");
  await node(page, "statistics").focus();
  await page.keyboard.press("Delete");
  await node(page, "statistics").waitFor({ state: "detached" });
  expect(await names(page)).toEqual(all.filter((name) => name !== "statistics"));
  await page.getByRole("group", { name: "isRoaming.false to home-v5" }).focus();
  await page.keyboard.press("Delete");
  await page.getByRole("group", { name: "isRoaming.false to home-v5" }).waitFor({ state: "detached" });
  await node(page, "unbilled").click();
  await page.keyboard.press("Delete");
  await node(page, "unbilled").waitFor({ state: "detached" });
  expect(await names(page)).toContain("isRoaming");
  await done(page);
});

it("the arrow keys go along the edges", async () => {
  const page = await open("/graph");
  await node(page, "isBillable").focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Filter isBillable" }).waitFor();
  await done(page);
});

it("who closes a dialogue is where they were", async () => {
  const page = await open("/graph");
  await edit(page);
  await page.getByRole("button", { name: "Add", exact: true }).press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Add");
  await done(page);
});

it("who edits with the keyboard is never left without a place", async () => {
  const page = await open("/graph");
  const at = () =>
    page.evaluate(() => {
      const at = document.activeElement;
      return at?.getAttribute("data-id") ?? at?.textContent;
    });
  await page.getByRole("button", { name: "Edit", exact: true }).press("Enter");
  await expect.poll(at).toBe("Add");
  await node(page, "statistics").focus();
  await page.keyboard.press("Enter");
  await node(page, "statistics").focus();
  await page.keyboard.press("Delete");
  await expect.poll(at).toBe("unbilled");
  // When nothing is left to undo, the focus goes to "Redo", and the other way round.
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await expect.poll(at).toBe("Redo");
  await page.keyboard.press("Enter");
  await expect.poll(at).toBe("Changes");
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await expect.poll(at).toBe("Redo");
  await page.getByRole("button", { name: "Stop" }).press("Enter");
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
  await expect.poll(at).toBe("Edit");
  await done(page);
});

it("of a name that is too long the end is shown too, by which it differs from others", async () => {
  const page = await open("/graph");
  await edit(page);
  await node(page, "statistics").click();
  const panel = page.getByRole("region", { name: "Post-processing system statistics" });
  await panel.getByLabel("Name", { exact: true }).fill("statistics-of-the-switching-centre-17");
  await panel.getByRole("button", { name: "Rename" }).press("Enter");
  const card = node(page, "statistics-of-the-switching-centre-17").locator(".node");
  const name = card.locator(".node-name");
  expect(await name.textContent()).toBe("statistics-of-the-switching-centre-17");
  const [begin, end] = [name.locator("span").first(), name.locator("span").last()];
  expect(await begin.evaluate((each) => each.scrollWidth > each.clientWidth)).toBe(true);
  expect(await end.evaluate((each) => each.scrollWidth > each.clientWidth)).toBe(false);
  const right = async (of: typeof card) => ((box) => box.x + box.width)((await of.boundingBox())!);
  expect(await right(end)).toBeLessThanOrEqual(await right(card));
  await done(page);
});

it("what somebody did not save is asked for before it is given up", async () => {
  const page = await open("/graph");
  await edit(page);
  await node(page, "statistics").click();
  await page.getByRole("button", { name: "Remove" }).click();
  await node(page, "statistics").waitFor({ state: "detached" });
  await openAreas(page);
  await page.getByRole("link", { name: "Trail" }).click();
  await page.getByRole("heading", { level: 1, name: "Trail" }).waitFor();
  await page.getByRole("link", { name: "Graph", exact: true }).click();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Give them up" }).click();
  await node(page, "statistics").waitFor();
  await done(page);
});

it("whoever edits is told that the flow file is another by now", async () => {
  const page = await open("/graph");
  await edit(page);
  const csrf = await page.evaluate(async () => ((await (await fetch("/api/session")).json()) as { csrf: string }).csrf);
  const { digest } = (await (await page.request.get("/api/flow")).json()) as { digest: string };
  await page.request.post("/api/flow/versions/1/activate", {
    data: { based_on: digest, because: "the version before" },
    headers: { "X-CSRF-Token": csrf },
  });
  await page.getByText("The flow file was changed by another user").waitFor();
  await page.getByRole("button", { name: "Compare with the flow file" }).click();
  await page.getByRole("button", { name: "Changes" }).click();
  await page.getByRole("dialog").getByText("3 lines added, 3 lines removed").waitFor();
  await done(page);
});

it("where the flow wants a second person, one user proposes a version and another activates it", async () => {
  const page = await open("/graph");
  const send = async (path: string, data: object) => {
    const { csrf } = (await (await page.request.get("/api/session")).json()) as { csrf: string };
    const answer = await page.request.post(path, { data, headers: { "X-CSRF-Token": csrf } });
    expect(answer.status()).toBe(200);
    return (await answer.json()) as { version: number };
  };
  const { text } = (await (await page.request.get("/api/flow")).json()) as { text: string };
  const { version } = await send("/api/flow/versions", {
    text: `${text}\n[serve]\nsecond-person = true\n`,
    remark: "two",
  });
  await send(`/api/flow/versions/${version}/activate`, { because: "two" });
  const versions = page.getByRole("region", { name: "Versions of the flow" });
  const dialog = page.getByRole("dialog");
  const look = async () => {
    await page.reload();
    await page.getByRole("button", { name: "Versions" }).click();
    await versions.getByRole("button", { name: "Look at version 2" }).click();
  };
  const give = async (word: string, reason: string) => {
    await dialog.getByLabel("Reason").fill(reason);
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: word, exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  };
  const propose = async () => {
    await look();
    await dialog.getByRole("button", { name: "Activate…" }).click();
    await page.getByRole("dialog", { name: "Propose version 2" }).waitFor();
    await give("Propose", "as before");
    await page.getByText("Version 2 is proposed.").waitFor();
    await versions.getByText("proposed", { exact: true }).waitFor();
  };
  await propose();
  await page.request.post("/login", { data: { name: "otto", password: PASSWORD } });
  await look();
  await dialog.getByText("Proposed by anna").waitFor();
  await dialog.getByRole("button", { name: "Reject the proposal…" }).click();
  await give("Reject", "not now");
  await versions.getByText("proposed", { exact: true }).waitFor({ state: "detached" });
  await propose();
  await page.request.post("/login", { data: { name: "anna", password: PASSWORD } });
  await look();
  await dialog.getByRole("button", { name: "Activate…" }).click();
  await page.getByRole("dialog", { name: "Activate version 2" }).waitFor();
  await give("Activate", "looked at");
  await page.getByText("Version 2 is active").waitFor();
  await done(page);
});

it("a flow of a thousand nodes is drawn, edited, searched, and its figures move", { timeout: 180_000 }, async () => {
  const page = await open("/graph", { ways: 200 });
  page.setDefaultTimeout(60_000);
  await node(page, "billing-199").waitFor();
  expect((await names(page)).length).toBe(1000);
  // If each node updated its handles alone, React Flow would examine all nodes for each, which takes a minute.
  await page.evaluate(() => {
    const [all, ask] = [window as unknown as { asked: number }, window.requestAnimationFrame.bind(window)];
    all.asked = 0;
    window.requestAnimationFrame = (callback) => ((all.asked += 1), ask(callback));
  });
  await edit(page);
  await page.getByRole("button", { name: "Add a filter" }).waitFor();
  await page.evaluate(() => new Promise((after) => setTimeout(after, 100)));
  expect(await page.evaluate(() => (window as unknown as { asked: number }).asked)).toBeLessThan(100);
  const figures = page.locator(".edge-figures").first();
  const before = await figures.innerText();
  await expect.poll(() => figures.innerText()).not.toBe(before);
  await page.getByRole("combobox", { name: "Find a node" }).fill("isBillable-42");
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Filter isBillable-42" }).waitFor();
  await expect.poll(async () => (await node(page, "isBillable-42").boundingBox())!.width).toBeGreaterThan(180);
  await done(page);
});

it("the script of a node to come is written before the node runs", async () => {
  const page = await open("/graph");
  await edit(page);
  await page.getByRole("button", { name: "Add a filter" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name (required)").fill("is-long");
  await dialog.getByLabel("isBillable.true").check();
  await dialog.getByLabel("script", { exact: true }).fill("scripts/is_long.dup");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("link", { name: /(Open|Write) the script/ }).click();
  await page.getByText("There is no such file yet.").waitFor();
  await page.locator(".cm-content").getByText("BOOLEAN isLong(cdr CONST CallDataRecord)").waitFor();
  await page.getByRole("link", { name: /is_long.dup is-long, does not run yet/ }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Keep the script" }).click();
  await page.getByText("scripts/is_long.dup is kept.").waitFor();
  await page.getByText("There is no such file yet.").waitFor({ state: "detached" });
  expect(await page.getByRole("button", { name: "Keep the script" }).isDisabled()).toBe(true);
  await page.getByRole("link", { name: "Graph", exact: true }).first().click();
  await node(page, "is-long").waitFor();
  await done(page);
});

it("the graph is a table for who wants one", async () => {
  const page = await open("/graph", { width: 390 });
  await page.getByRole("button", { name: "As a table" }).click();
  await page
    .getByRole("row", { name: /home-billing/ })
    .getByText("home-v5")
    .waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "home-billing" }).click();
  await page.getByRole("region", { name: "Post-processing system home-billing" }).waitFor();
  expect(await isTooWide(page)).toBe(false);
  await done(page);
});

it("editing has no barriers, at both widths", async () => {
  for (const [width, scheme] of [
    [1280, "dark"],
    [390, "light"],
  ] as const) {
    const page = await open("/graph", { width, scheme });
    await edit(page);
    await node(page, "isRoaming").click();
    await page.getByRole("region", { name: "Filter isRoaming" }).waitFor();
    expect(await barriers(page), String(width)).toEqual([]);
    expect(await isTooWide(page), String(width)).toBe(false);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("dialog").waitFor();
    expect(await barriers(page), `${width}, adding`).toEqual([]);
    await done(page);
  }
});
