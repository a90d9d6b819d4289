/** The plots: zoom by the mouse and the keyboard, and marks. */
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

it("a part of a plot is dragged over, and shown by all plots", async () => {
  const page = await open("/throughput");
  const plot = page.locator(".plot-frame .u-over").first();
  const box = (await plot.boundingBox())!;
  await page.mouse.move(box.x + box.width / 4, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 50, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => page.url()).toMatch(/from=\d+&to=\d+/);
  const query = new URL(page.url()).searchParams;
  const length = Number(query.get("to")) - Number(query.get("from"));
  expect(Math.abs(length - 900)).toBeLessThan(60);
  // The address shows the same.
  await page.reload();
  await page.getByRole("img", { name: /Records a second: last/ }).waitFor();
  await plot.dblclick();
  await expect.poll(() => page.url()).not.toContain("from=");
  await done(page);
});

it("the keyboard zooms and moves", async () => {
  for (const width of [1280, 390]) {
    const page = await open("/throughput", { width });
    const times = page.getByRole("group", { name: "Times shown" });
    await times.getByRole("button", { name: "Zoom in" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toMatch(/from=\d+&to=\d+/);
    const from = () => Number(new URL(page.url()).searchParams.get("from"));
    const before = from();
    await times.getByRole("button", { name: "Earlier" }).press("Enter");
    await expect.poll(from).toBeLessThan(before);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await times.getByRole("button", { name: "Show all" }).press("Enter");
    await expect.poll(() => page.url()).not.toContain("from=");
    // The button is disabled now. The focus stays among its neighbours.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/Later|Earlier|Zoom in/);
    await done(page);
  }
});

it("marks say what happened then", async () => {
  const page = await open("/throughput?minutes=1440", { scheme: "dark" });
  const marks = page.getByRole("region", { name: "Marks" });
  await marks.getByRole("link", { name: /3 files are missing/ }).click();
  await page.getByRole("heading", { level: 1, name: "Alarms" }).waitFor();
  await done(page);
});
