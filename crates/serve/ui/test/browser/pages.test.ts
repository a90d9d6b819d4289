/** Every page at both widths, in light and dark, with work to do and without. */
import { describe, expect, it } from "vitest";

import { barriers, done, isTooWide, open, settled, useGateway } from "./gateway.ts";

useGateway();

/** An address, the heading of the page, and a text on the page when there is no data. */
const PAGES: [string, string | RegExp, string][] = [
  ["/graph", "msc-billing", "No node yet"],
  ["/alarms", "Alarms", "No alarm is raised"],
  ["/suspense", "Suspense", "Nothing is in suspense"],
  ["/matching", "Matching", "No group waits"],
  ["/files", "Files", "No file was processed yet"],
  ["/records", "Records", "Which file?"],
  ["/deliveries", "Deliveries", "Nothing is to be delivered"],
  ["/audit", "Audit", "Nothing was processed then"],
  ["/audit/sequences", "Audit", "No numbers are watched, or none came then"],
  ["/fraud", "Fraud", "No case is open"],
  ["/fraud?state=decided", "Fraud", "No case is decided"],
  ["/fraud/alerts", "Fraud", "No rule has found anything yet"],
  ["/fraud/actions", "Fraud", "No action is finished yet"],
  ["/fraud/rules", "Fraud", "No rule runs"],
  ["/fraud/reports", "Fraud", "Nothing was judged in this time"],
  ["/throughput", "Throughput", "Nothing was processed in this time"],
  ["/trace", "Trace", "Which record?"],
  ["/scripts", "Scripts", "The flow has no scripts"],
  ["/accounts", "Accounts", "No charging system"],
  ["/tariffs", "Tariffs", "Nothing is rated"],
  ["/replay", "Replay", "Nothing was tried yet"],
  ["/trail", "Trail", "No changes yet"],
  ["/people", "People", "None. A program that uses the API has one"],
];

const DEEPER: [string, string][] = [
  ["/suspense/919", "Record 919 in suspense"],
  ["/suspense/928", "Record 928 in suspense"],
  ["/matching/40", "Group 4711"],
  ["/matching/17", "Group 4711"],
  ["/matching?node=calls&key=4711", "Matching"],
  ["/fraud/cases/17", "Case 17"],
  ["/fraud/cases/9", "Case 9"],
  ["/fraud?state=all", "Fraud"],
  ["/trace?file=boston-10432.ber&record=1", "Trace"],
  ["/trace?where=record.callDuration", "Trace"],
  ["/scripts?file=scripts/is_billable.dup", "Scripts"],
  ["/records?network_element=msc-boston&file=boston-10432.ber", "Records"],
  ["/records?network_element=msc-boston&file=boston-10432.ber&record=7", "Records"],
  ["/accounts?part=467030", "Accounts"],
  ["/accounts?part=7777", "Accounts"],
  ["/accounts?view=sessions", "Accounts"],
  ["/accounts?view=sessions&stuck=true&older=3600", "Accounts"],
  ["/accounts?view=peers", "Accounts"],
  ["/accounts?view=messages", "Accounts"],
  ["/accounts?view=changes", "Accounts"],
  ["/accounts/46701234567", "Account of 46701234567"],
  ["/accounts/%233", "Account 3"],
  ["/accounts/1", "Account of 1"],
  ["/tariffs?file=tariff/prices.csv", "Tariffs"],
  ["/throughput?minutes=43200", "Throughput"],
  ["/suspense?state=discarded", "Suspense"],
  ["/files?from=2026-11-20T08:00&to=2999-01-01", "Files"],
  ["/tariffs?plan=wholesale.db&version=2", "Tariffs"],
  ["/replay?version=1", "Replay"],
  ["/tariffs?view=counters", "Tariffs"],
  ["/tariffs?view=counters&account=46701234567", "Tariffs"],
  ["/reference", "API"],
  ["/reference?find=suspense", "API"],
  ["/account", "anna"],
];

for (const width of [1280, 390]) {
  for (const scheme of ["light", "dark"] as const) {
    describe(`${width} pixels, ${scheme}`, () => {
      for (const [path, heading] of [...PAGES, ...DEEPER]) {
        it(path, async () => {
          const page = await open(path, { width, scheme });
          await page.getByRole("heading", { level: 1, name: heading }).waitFor();
          await settled(page);
          await page.getByText("Live", { exact: true }).waitFor();
          expect(await barriers(page)).toEqual([]);
          expect(await isTooWide(page)).toBe(false);
          await done(page);
        });
      }
    });
  }
}

describe("without anything", () => {
  for (const [path, , text] of PAGES) {
    it(`${path} says what to do`, async () => {
      const page = await open(path, { isEmpty: true, width: 390 });
      await page.getByText(text).waitFor();
      expect(await barriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await done(page);
    });
  }
});

it("the login and the welcome", async () => {
  for (const scheme of ["light", "dark"] as const) {
    for (const path of ["/login", "/welcome", "/welcome#invited-nils"]) {
      const page = await open(path, { user: null, width: 390, scheme });
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await barriers(page), path).toEqual([]);
      await done(page);
    }
  }
});

it("an address that is none leads back", async () => {
  for (const path of ["/nothing", "/suspense/nothing"]) {
    const page = await open(path);
    await page.getByRole("heading", { level: 1, name: "There is no such page" }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("link", { name: "To the graph" }).click();
    await page.getByRole("heading", { level: 1, name: "msc-billing" }).waitFor();
    await done(page);
  }
});

it("a record that is not in suspense leads to those that are", async () => {
  const page = await open("/suspense/99999");
  await page.getByRole("heading", { level: 1, name: "Record 99999 in suspense" }).waitFor();
  await page.getByRole("alert").waitFor();
  await page.getByRole("link", { name: "All of suspense" }).click();
  await page.getByRole("heading", { level: 1, name: "Suspense" }).waitFor();
  await done(page);
});

it("who comes before there is an administrator is told of the link", async () => {
  const page = await open("/login", { user: null });
  await page.getByText(/The first one comes in by the link that tollgate serve says/).waitFor();
  await done(page);
});
