/** Decisions after failures, on the real gateway: gaps, discarded records, duplicate files. */
import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";

import { barriers } from "../seen.ts";
import { open, useGateway, welcome } from "./gateway.ts";

/** Boston numbers its files: 2 and 4 have come. */
const COUNTED = `
[network-element.msc-boston.file-sequence]
name  = "boston-{number}.ber"
first = 1
last  = 99999
`;

const gateway = useGateway((flow) => flow + COUNTED);

let anna: Page;

const counted = async (path: string, list: string): Promise<number> => {
  const answer = (await (await anna.request.get(path)).json()) as Record<string, unknown[]>;
  return answer[list]?.length ?? 0;
};

beforeAll(async () => {
  anna = await open(gateway, gateway.link);
  await welcome(anna, "anna");
  while ((await counted("/api/files", "files")) < 4) await anna.waitForTimeout(200);
});

it("a file that is missing is accepted as lost, and its alarm is over", async () => {
  await expect.poll(() => counted("/api/alarms", "alarms"), { timeout: 30_000 }).toBeGreaterThan(0);
  await anna.goto("/audit/sequences");
  await anna.getByRole("button", { name: "Accept files 3 of msc-boston as lost" }).click();
  const dialog = anna.getByRole("dialog");
  expect(await dialog.getByLabel("Numbers of files").inputValue()).toBe("3");
  expect(await barriers(anna)).toEqual([]);
  await dialog.getByLabel("Reason").fill("the disk burnt");
  await dialog.getByRole("button", { name: "Accept as lost" }).click();
  await anna.getByText("1 file accepted as lost.").waitFor();
  await anna.getByText("Nothing is missing.").waitFor();
  await anna.getByText("anna: the disk burnt").waitFor();
  expect(await counted("/api/alarms", "alarms")).toBe(0);
});

it("records that were discarded are opened again, all of a network element at once", async () => {
  await anna.goto("/suspense");
  await anna.getByRole("button", { name: "Discard all 84 records…" }).click();
  const dialog = anna.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("in a hurry");
  await dialog.getByRole("button", { name: "Discard" }).click();
  await anna.getByText("84 records discarded.").waitFor();
  await anna.goto("/suspense?state=discarded&network_element=msc-boston");
  await anna.getByRole("button", { name: "Open all 38 records again…" }).click();
  await dialog.getByLabel("Reason").fill("they were meant to be corrected");
  await dialog.getByRole("button", { name: "Open again" }).click();
  await anna.getByText("38 records opened again.").waitFor();
  await anna.goto("/suspense");
  await anna.getByRole("button", { name: "Retry all 38 records…" }).waitFor();
  expect(await counted("/api/suspense?limit=1000", "records")).toBe(38);
});

it("a file that came before comes again, and is no duplicate", async () => {
  const boston = join(gateway.folder, "in/boston");
  const comes = async (name: string) => {
    copyFileSync(join(boston, "boston-00002.ber.done"), join(boston, ".part"));
    renameSync(join(boston, ".part"), join(boston, name));
    await expect.poll(() => counted(`/api/files?name=${name}`, "files"), { timeout: 30_000 }).toBe(1);
  };
  await comes("boston-00005.ber");
  await anna.goto("/files?network_element=msc-boston");
  await anna.getByText("came before").waitFor();
  await anna.getByRole("checkbox", { name: "Choose boston-00005.ber" }).click();
  await anna.getByRole("button", { name: "Let 1 file come again…" }).click();
  const dialog = anna.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("the receiver lost what was made of it");
  await dialog.getByRole("button", { name: "They may" }).click();
  await anna.getByText("2 files may come again.").waitFor();
  await comes("boston-00006.ber");
  await anna.goto("/files?name=boston-00006.ber");
  await anna.getByRole("link", { name: "boston-00006.ber", exact: true }).waitFor();
  expect(await anna.getByText("came before").count()).toBe(0);
});

it("throughput is plotted of a day and of a month", async () => {
  for (const minutes of [1_440, 43_200]) {
    await anna.goto(`/throughput?minutes=${minutes}`);
    await anna.getByRole("img", { name: /Records a second: last .*, most [1-9]/ }).waitFor();
  }
});
