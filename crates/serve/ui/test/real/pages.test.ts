/** Every page of a real gateway that has data, at both widths, in light and dark. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";

import { barriers, isTooWide, settled } from "../seen.ts";
import { open, useGateway, welcome } from "./gateway.ts";

/** A receiver of merged files, a group of receivers, one of network elements, and a sequence of file names. */
const MORE = `
[post-processing-system.partner]
from    = "unbilled"
encode  = { type = "Billing.UnbilledCall", codec = "json" }
deliver = { dir = "far/partner", merge = { within = "1 hour" } }

[group.partners]
post-processing-systems = ["partner"]
threads = 1

[network-element.msc-boston.file-sequence]
name  = "boston-{number}.ber"
first = 2
last  = 99999

[group.capital]
network-elements = ["msc-new-york"]
weight = 3
`;

const gateway = useGateway((flow) => flow + MORE);

/** An address, and a text on the page when it has data. */
const PAGES: [string, string | RegExp][] = [
  ["/graph", "roaming-billing"],
  ["/alarms", /./],
  ["/suspense", /record \d+/],
  ["/suspense/1", /Record 1 in suspense/],
  ["/files", "boston-00002.ber"],
  ["/records", "Which file?"],
  ["/records?network_element=msc-boston&file=boston-00002.ber", "callDuration"],
  ["/records?network_element=msc-boston&file=boston-00002.ber&record=7", "callDuration"],
  ["/matching", "No group waits"],
  ["/deliveries", /./],
  ["/audit", "msc-boston"],
  ["/audit/sequences", /./],
  ["/throughput", "partners"],
  ["/trace", "Which record?"],
  ["/trace?file=boston-00002.ber&record=1", "isBillable"],
  ["/trace?where=record.callDuration+%3E+300&files=boston-*", /20 records found/],
  ["/scripts", "scripts/is_roaming.dup"],
  ["/scripts?file=scripts/is_roaming.dup", "Run on records"],
  ["/tariffs", "Nothing is rated"],
  ["/replay", "Nothing was tried yet"],
  ["/trail", "people welcome"],
  ["/reference", "/api/suspense/retry"],
  ["/people", "anna"],
  ["/account", "New password"],
];

let anna: Page;

beforeAll(async () => {
  anna = await open(gateway, gateway.link);
  await welcome(anna, "anna");
  const count = async () => (await (await anna.request.get("/api/files")).json()).files.length;
  while ((await count()) < 4) await anna.waitForTimeout(200);
});

for (const width of [1280, 390]) {
  for (const colorScheme of ["light", "dark"] as const) {
    describe(`${width} pixels, ${colorScheme}`, () => {
      for (const [path, text] of PAGES) {
        it(path, async () => {
          await anna.emulateMedia({ colorScheme });
          await anna.setViewportSize({ width, height: width < 760 ? 844 : 800 });
          await anna.goto(path);
          await anna.getByRole("heading", { level: 1 }).waitFor();
          await settled(anna);
          await anna.locator("main").getByText(text).first().waitFor({ state: "attached" });
          await anna.getByText("Live", { exact: true }).waitFor();
          expect(await barriers(anna)).toEqual([]);
          expect(await isTooWide(anna)).toBe(false);
        });
      }
    });
  }
}

it("who shares threads stands on the page of throughput, network elements and receivers", async () => {
  await anna.setViewportSize({ width: 1280, height: 800 });
  await anna.goto("/throughput");
  const threads = anna.getByRole("region", { name: "Threads" });
  await threads
    .getByRole("table", { name: "Groups" })
    .getByRole("row", { name: /^capital msc-new-york/ })
    .waitFor();
  const receivers = threads.getByRole("table", { name: "Receivers" });
  await receivers.getByRole("row", { name: /^partners partner 1/ }).waitFor();
});

it("an alarm is acknowledged by who has seen it, and taken back", async () => {
  await anna.goto("/alarms");
  const row = anna.getByRole("row", { name: /missing/ });
  const answer = async (button: string, remark: string) => {
    await row.getByRole("checkbox").check();
    await anna.getByRole("button", { name: button }).click();
    const dialog = anna.getByRole("dialog");
    await dialog.getByLabel("Remark").fill(remark);
    await dialog.getByRole("button", { name: button.replace("…", "") }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await row.getByText("not acknowledged").waitFor();
  await answer("Acknowledge…", "the centre sends it anew");
  await row.getByText("the centre sends it anew").waitFor();
  await answer("Take back…", "it does not");
  await row.getByText("not acknowledged").waitFor();
  await anna.goto("/audit/sequences");
  await anna
    .getByText("boston-00003")
    .or(anna.getByText(/missing/i))
    .first()
    .waitFor();
});

it("what is gathered for a receiver is seen beside it", async () => {
  await anna.goto("/graph");
  await anna.locator('.react-flow__node[data-id="partner"]').click();
  await anna
    .getByRole("region", { name: "The file that is gathered" })
    .getByText(/when it goes out|at most|before/i)
    .first()
    .waitFor();
});

it("whoever comes in does so without barriers", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [path, heading] of [
      ["/login", "Log in"],
      ["/welcome#0123", /./],
    ] as const) {
      const visitor = await open(gateway, path);
      await visitor.emulateMedia({ colorScheme });
      await visitor.setViewportSize({ width: 390, height: 844 });
      await visitor.getByRole("heading", { level: 1, name: heading }).waitFor();
      expect(await barriers(visitor), path).toEqual([]);
      await visitor.close();
    }
  }
});

it("people are invited, given another role and removed, and programs have tokens that hold as long", async () => {
  await anna.goto("/people");
  const dialog = anna.getByRole("dialog");
  await anna.getByRole("button", { name: /^Invite/ }).click();
  await dialog.getByLabel("Name").fill("olaf");
  await dialog.getByLabel("Role").selectOption("viewer");
  await dialog.getByRole("button", { name: /link/i }).click();
  const link = dialog.getByLabel("One-time link");
  await expect.poll(() => link.inputValue()).toMatch(/\/welcome#/);
  const path = (await link.inputValue()).replace(/^.*\/welcome/, "/welcome");
  await dialog.getByRole("button", { name: "Done" }).click();
  const row = anna.getByRole("table", { name: "People" }).getByRole("row", { name: /^olaf/ });
  await row.getByText("invited, not here yet").waitFor();
  const olaf = await open(gateway, path);
  await welcome(olaf);
  // A second use of the link is refused before the user fills in anything.
  const late = await open(gateway, path);
  await late.getByRole("alert").getByText("This link was used, or is too old").waitFor();
  expect(await late.getByLabel("Password").count()).toBe(0);
  await late.close();
  expect(await olaf.getByRole("button", { name: "Edit", exact: true }).count()).toBe(0);

  await anna.reload();
  await anna.getByLabel("Role of olaf").selectOption("operator");
  await anna.getByText("olaf is operator now.").waitFor();
  await olaf.reload();
  await olaf.getByRole("button", { name: "Edit", exact: true }).waitFor();

  await anna.getByRole("button", { name: "Make a token…" }).click();
  await dialog.getByLabel("Name").fill("report");
  await dialog.getByLabel("Role").selectOption("viewer");
  await dialog.getByRole("button", { name: "Make it" }).click();
  const field = dialog.getByLabel("Token", { exact: true });
  await expect.poll(() => field.inputValue()).not.toBe("");
  const headers = { Authorization: `Bearer ${await field.inputValue()}` };
  const status = async (path: string) => (await fetch(gateway.address + path, { headers })).status;
  expect(await status("/api/files")).toBe(200);
  expect(await status("/api/people")).toBe(403);
  expect(await barriers(anna)).toEqual([]);
  await dialog.getByRole("button", { name: "Done" }).click();
  await anna.getByRole("button", { name: "Remove token report" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await anna.getByText("The token report is removed.").waitFor();
  expect(await status("/api/files")).toBe(401);

  await anna.getByRole("button", { name: "Remove olaf" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await anna.getByText("olaf is removed.").waitFor();
  await olaf.goto("/files");
  await olaf.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
  // The trail has all of it.
  await anna.goto("/trail");
  for (const action of ["people invite", "people role", "token make", "token remove", "people remove"])
    await anna.getByText(action).first().waitFor();
});
