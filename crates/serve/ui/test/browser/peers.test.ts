/** Peers of Diameter: connected, gone, refused, and let in. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

const PEERS = "/accounts?view=peers";

/** The row of a peer in a table, by its name. */
const row = (page: Page, table: "Peers" | "Refused", host: string) =>
  page
    .getByRole("table", { name: table })
    .getByRole("row")
    .filter({ has: page.getByText(host, { exact: true }) });

for (const width of [1280, 390]) {
  for (const scheme of ["light", "dark"] as const) {
    it(`peers have their state, connections and results, at ${width} pixels, ${scheme}`, async () => {
      const page = await open(PEERS, { user: "vera", width, scheme });
      const smf = row(page, "Peers", "smf.epc.example.net");
      await smf.getByText("open", { exact: true }).waitFor();
      await smf.getByText("192.0.2.11:38112").waitFor();
      await smf.getByText("and 1 more").waitFor();
      await smf.getByText("0.84 ms").waitFor();
      await smf.getByText(/^2001: [\d,]+$/).waitFor();
      const limit = smf.getByText("4012: 17");
      expect(await limit.getAttribute("title")).toBe("Credit limit reached");
      expect(await limit.getAttribute("class")).toContain("mark");
      await smf.getByText("others: 1").waitFor();
      // 5 a second, as far as clocks agree.
      await smf.getByText(/^[3-7]\.\d$/).waitFor();
      const cscf = row(page, "Peers", "cscf.ims.example.net");
      await cscf.getByText("does not answer").waitFor();
      await cscf.getByText("3004: 2").waitFor();
      const pgw = row(page, "Peers", "pgw-2.epc.example.net");
      await pgw.getByText("gone").waitFor();
      await pgw.getByText("the peer disconnected: it restarts\\u202e").waitFor();
      expect(await barriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await done(page);
    });
  }
}

for (const user of ["vera", "otto"] as const) {
  it(`a refused peer is there with the reason, and ${user} lets none in`, async () => {
    const page = await open(PEERS, { user, width: 390 });
    const refused = row(page, "Refused", "smf-3.epc.example.net");
    await refused.getByText("no table of [diameter.peers] names it").waitFor();
    await refused.getByText("192.0.2.13:51240").waitFor();
    await refused.getByText("40", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Allow…" }).count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await done(page);
  });
}

it("an administrator lets a refused peer in, with a profile and a reason", async () => {
  const page = await open(PEERS);
  const refused = row(page, "Refused", "smf-3.epc.example.net");
  await refused.getByRole("button", { name: "Allow…" }).click();
  const dialog = page.getByRole("dialog", { name: "Allow smf-3.epc.example.net?" });
  await dialog.getByText("192.0.2.13:51240").waitFor();
  expect(await dialog.getByLabel("Profile").inputValue()).toBe("standard");
  expect(await dialog.getByRole("button", { name: "Allow" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Profile").selectOption("open5gs");
  await dialog.getByLabel("Reason").fill("the new SMF");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Allow" }).click();
  await page.getByText("smf-3.epc.example.net may connect from now on.", { exact: false }).waitFor();
  await row(page, "Peers", "smf-3.epc.example.net").getByText("open", { exact: true }).waitFor();
  await expect.poll(() => refused.count()).toBe(0);
  await page.getByRole("link", { name: "Changes" }).click();
  const changes = page.getByRole("table", { name: "Changes" });
  await changes.getByText("the new SMF").waitFor();
  await changes.getByText("the peer smf-3.epc.example.net with the profile open5gs").waitFor();
  await done(page);
});

it("a peer with an invisible letter is not let in, and one that has a table has no button", async () => {
  const page = await open(PEERS);
  const copy = row(page, "Refused", "smf-\\u200b3.epc.example.net");
  await copy.getByText("\\u202eopen5gs").waitFor();
  const named = row(page, "Refused", "pgw.epc.example.net");
  await named.getByText("it has no application in common with this node").waitFor();
  expect(await named.getByRole("button", { name: "Allow…" }).count()).toBe(0);
  await copy.getByRole("button", { name: "Allow…" }).click();
  const dialog = page.getByRole("dialog", { name: "Allow smf-\\u200b3.epc.example.net?" });
  await dialog.getByLabel("Reason").fill("the new SMF");
  await dialog.getByRole("button", { name: "Allow" }).click();
  await dialog.getByRole("alert").getByText("is no name of a host").waitFor();
  await done(page);
});

it("without a system that has peers, the page says how to get one", async () => {
  const page = await open("/alarms", { user: "vera", width: 390 });
  await page.route("**/api/charging/peers", (route) =>
    route.fulfill({ json: { served: false, peers: [], refused: [], profiles: ["standard"] } }),
  );
  await page.goto(PEERS);
  await page.getByText("No charging system with [diameter] runs.", { exact: false }).waitFor();
  expect(await page.getByRole("table", { name: "Peers" }).count()).toBe(0);
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await done(page);
});
