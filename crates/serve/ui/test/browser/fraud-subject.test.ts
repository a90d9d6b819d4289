/** All that is stored about a subject, and its erasure. */
import { readFileSync } from "node:fs";

import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import type { Graph } from "../../src/api/types.ts";
import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

const KEY = "0099000001\u202e";

const about = (key: string) => `/fraud/subject?${new URLSearchParams({ key })}`;

const table = (page: Page, name: string) => page.getByRole("table", { name });

for (const width of [1280, 390]) {
  it(`a case leads to all about its key, at ${width} pixels`, async () => {
    const page = await open("/fraud/cases/17", { user: "otto", width });
    await page.getByRole("link", { name: "0099000001\\u202e" }).click();
    await page.getByRole("heading", { level: 2, name: "0099000001\\u202e" }).waitFor();
    await page.getByRole("heading", { level: 2, name: "6 alerts" }).waitFor();
    await page.locator(".lane").first().waitFor();
    await table(page, "Cases").getByRole("link", { name: "case 9" }).waitFor();
    await table(page, "Cases").getByText("fraud", { exact: true }).first().waitFor();
    await table(page, "Cases").getByText("2 steps").click();
    await table(page, "Cases").getByText("assigned to nils").waitFor();
    await table(page, "Entries of lists").getByRole("link", { name: "call-centres" }).waitFor();
    await table(page, "Views").getByText("fraud about").waitFor();
    await page.getByText("Lists that cannot be read: staff.").waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await done(page);
  });
}

it("a key is searched for from each tab, and may be unknown", async () => {
  const page = await open("/fraud/alerts", { user: "otto" });
  const subject = page.getByRole("searchbox", { name: "Subject" });
  await subject.fill("0000021712");
  await page.keyboard.press("Enter");
  // It is a part of pairs alone.
  await page.getByRole("link", { name: "0000021712>0000000047" }).click();
  await page.getByRole("heading", { level: 2, name: "1 alert" }).waitFor();
  expect(await subject.inputValue()).toBe("0000021712>0000000047");
  await subject.fill("4799");
  await page.keyboard.press("Enter");
  await page.getByText("Nothing is stored about this key").waitFor();
  await page.getByRole("navigation", { name: "Parts of fraud" }).getByRole("link", { name: "Alerts" }).click();
  await table(page, "Alerts").getByRole("link", { name: "0099000009" }).first().click();
  await page.getByRole("heading", { level: 2, name: "2 alerts" }).waitFor();
  await done(page);
});

for (const [width, scheme] of [
  [1280, "light"],
  [390, "dark"],
] as const) {
  it(`all records about a key are shown a page at a time, at ${width} pixels, ${scheme}`, async () => {
    const page = await open(about(KEY), { user: "otto", width, scheme });
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/fraud/records")) requests.push(request.url());
    });
    const section = page.getByRole("region", { name: "Records" });
    await section.getByRole("heading", { name: "120 records in the index" }).waitFor();
    await table(page, "Views").getByText("fraud about").waitFor();
    expect(requests).toEqual([]);
    await section.getByRole("button", { name: "Show records" }).click();
    const record = table(page, "Records").getByRole("link", { name: "boston-10432.ber, 2", exact: true });
    await record.waitFor();
    expect(requests.length).toBe(1);
    await section.getByText("The records of 2 files are not in the index yet").waitFor();
    await table(page, "Records").getByText("moCallRecord.callDuration=34").waitFor();
    await table(page, "Records").getByText("of a file that is no longer known").waitFor();
    await table(page, "Records").getByText("the journal does not have the file any more").waitFor();
    await table(page, "Records").getByText("an element is longer than what it lies in").first().waitFor();
    await section.getByRole("button", { name: "Look again" }).click();
    await expect.poll(() => requests.length).toBe(2);
    const more = section.getByRole("button", { name: "Show more" });
    for (const many of [100, 120]) {
      await more.click();
      await section.getByRole("status").getByText(`${many} rows`).waitFor();
    }
    expect(await more.count()).toBe(0);
    expect(await table(page, "Records").locator("tbody tr").count()).toBe(120);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    const trace = table(page, "Records").getByRole("link", { name: "trace" }).first();
    expect(await trace.getAttribute("href")).toBe("/trace?file=boston-10432.ber&record=1");
    await record.click();
    await page.getByRole("button", { name: "Record 2 octet" }).waitFor();
    await done(page);
  });
}

it("a key that is in the index alone has its records, and the view is in the audit trail", async () => {
  const page = await open(about("0000021799"), { user: "otto" });
  await page.getByRole("heading", { name: "1 record in the index" }).waitFor();
  await page.getByRole("button", { name: "Show records" }).click();
  await table(page, "Records").getByText("called", { exact: true }).waitFor();
  await page.reload();
  await table(page, "Views").getByText("fraud records").waitFor();
  await done(page);
});

it("where there is no index, the page says how to have one, and another refusal is shown as it is", async () => {
  const page = await open(about("0099000009"), { user: "otto" });
  const section = page.getByRole("region", { name: "Records" });
  let refusal = { error: '"fraud/calls" is damaged', code: "key-index-damaged" };
  await page.route("**/api/fraud/records*", (route) => route.fulfill({ status: 404, json: refusal }));
  await section.getByText("The index of records has none about this key.").waitFor();
  await section.getByRole("button", { name: "Show records" }).click();
  await section.getByText("key-index-damaged").waitFor();
  refusal = { error: "no fraud node of the flow has an index", code: "key-index-missing" };
  await section.getByRole("button", { name: "Try again" }).click();
  await section.getByText("No fraud node has an index of records").waitFor();
  await section.getByText('index = "30 days"').waitFor();
  expect(await barriers(page)).toEqual([]);
  await done(page);
});

it("where several nodes have an index, one is chosen", async () => {
  const page = await open(about(KEY), { user: "otto" });
  const { graph } = (await (await page.request.get("/api/flow")).json()) as { graph: Graph };
  for (const name of ["calls", "roaming"]) graph.nodes.push({ ...graph.nodes[0]!, name, kind: "fraud" });
  await page.route("**/api/live", (route) =>
    route.fulfill({ contentType: "text/event-stream", body: `event: graph\ndata: ${JSON.stringify(graph)}\n\n` }),
  );
  const error = 'the nodes "calls", "roaming" have an index each: name one of them';
  await page.route(/fraud\/records\?(?!.*node=)/, (route) =>
    route.fulfill({ status: 422, json: { error, code: "key-index-node-missing" } }),
  );
  await page.reload();
  const section = page.getByRole("region", { name: "Records" });
  await section.getByLabel("Node").waitFor();
  await section.getByRole("button", { name: "Show records" }).click();
  await section.getByText("name one of them").waitFor();
  await section.getByLabel("Node").selectOption("roaming");
  const ofNode = page.waitForRequest(/fraud\/records\?.*node=roaming/);
  await section.getByRole("button", { name: "Show records" }).click();
  await ofNode;
  await table(page, "Records").waitFor();
  await done(page);
});

it("a report is downloaded as JSON", async () => {
  const page = await open(about("0099000009"), { user: "otto" });
  const begun = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download report" }).click();
  const download = await begun;
  expect(download.suggestedFilename()).toMatch(/^tollgate-subject-[\dTZ-]+\.json$/);
  const report = JSON.parse(readFileSync(await download.path(), "utf8")) as { key: string; alerts: unknown[] };
  expect([report.key, report.alerts.length]).toEqual(["0099000009", 2]);
  await done(page);
});

it("an administrator erases a subject once no action about it is open", async () => {
  const page = await open(about(KEY), { user: "anna" });
  await page.getByRole("button", { name: "Show records" }).click();
  await table(page, "Records").waitFor();
  const dialog = page.getByRole("dialog");
  const erase = dialog.getByRole("button", { name: "Erase", exact: true });
  await page.getByRole("button", { name: "Erase…" }).click();
  await dialog.getByText(/about the key (is|are) open/).waitFor();
  await dialog.getByText("the figures of rules do not change").waitFor();
  expect(await barriers(page)).toEqual([]);
  await dialog.getByLabel("Reason").fill("they want it");
  await dialog.getByLabel("The key, once more").fill("0099000001");
  expect(await erase.isDisabled()).toBe(true);
  await dialog.getByLabel("The key, once more").fill(KEY);
  await erase.click();
  await dialog.getByText("subject-has-open-actions").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  for (;;) {
    const refuse = page.getByRole("button", { name: /^Refuse action/ });
    if ((await refuse.count()) === 0) break;
    const name = await refuse.first().getAttribute("aria-label");
    await refuse.first().click();
    await dialog.getByLabel("Reason").fill("it is erased");
    await dialog.getByRole("button", { name: "Refuse" }).click();
    await page.getByRole("button", { name: name!, exact: true }).waitFor({ state: "detached" });
  }
  await page.getByRole("button", { name: "Erase…" }).click();
  // As it is shown: not all of its characters can be typed.
  await dialog.getByLabel("The key, once more").fill("0099000001\\u202e");
  await dialog.getByLabel("Reason").fill(`${KEY} wants it`);
  await erase.click();
  await dialog.getByText("reason-names-subject").waitFor();
  await dialog.getByLabel("Reason").fill("they want it");
  await erase.click();
  const erased = page.getByRole("region", { name: "Erased" });
  await erased.getByText(/6 alerts.*120 indexed records/).waitFor();
  await erased.getByText("call-centres").waitFor();
  // The list still has it.
  await page.getByRole("heading", { level: 2, name: "0 alerts" }).waitFor();
  expect(await table(page, "Records").count()).toBe(0);
  await erased.getByRole("link", { name: /^erased-\d+$/ }).click();
  await page.getByRole("heading", { level: 2, name: "6 alerts" }).waitFor();
  await done(page);
});

it("an operator erases nothing, and a viewer is refused", async () => {
  const operator = await open(about("0099000009"), { user: "otto" });
  await operator.getByRole("button", { name: "Download report" }).waitFor();
  expect(await operator.getByRole("button", { name: "Erase…" }).count()).toBe(0);
  await done(operator);
  const viewer = await open(about("0099000009"), { user: "vera" });
  await viewer.getByText("a report about a subject needs the role operator").waitFor();
  expect(await viewer.getByRole("button", { name: "Download report" }).count()).toBe(0);
  await done(viewer);
});

it("without a key, the page says what to do", async () => {
  const page = await open("/fraud/subject", { user: "otto" });
  await page.getByText("Whom is it about?").waitFor();
  await done(page);
});
