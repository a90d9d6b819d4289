/** Unsaved changes: on other pages, and when the user closes the window or logs out. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, openAreas, useGateway } from "./gateway.ts";

useGateway();

async function write(page: Page, label: string, letters: string): Promise<void> {
  const text = page.getByRole("textbox", { name: label });
  await text.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(letters);
  await text.getByText(letters).waitFor();
}

async function away(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Files", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Files" }).waitFor();
}

/** Returns whether the browser asks before the window closes. */
async function isAskedWhenClosed(page: Page): Promise<boolean> {
  const asked = new Promise<boolean>((resolve) => {
    page.once("dialog", (dialog) => {
      resolve(dialog.type() === "beforeunload");
      void dialog.dismiss();
    });
    page.once("close", () => resolve(false));
  });
  await page.close({ runBeforeUnload: true });
  return asked;
}

for (const [what, path, label, back] of [
  ["a script", "/scripts?file=scripts%2Fis_billable.dup", "Text of scripts/is_billable.dup", "Scripts"],
  ["a table of a tariff", "/tariffs?file=tariff%2Fprices.csv", "Text of tariff/prices.csv", "Tariffs"],
  ["a copy of a version", "/tariffs?plan=wholesale.db&version=2", "Text of prices.csv", "Tariffs"],
  ["a first version", "/tariffs?view=first", "Text of prices.csv", "Tariffs"],
] as const) {
  it(`${what} that is written is there when somebody comes back, and no window is closed on it unasked`, async () => {
    const page = await open(path);
    if (what === "a copy of a version") await page.getByRole("button", { name: "Edit a copy" }).click();
    if (what === "a first version") {
      await page.getByLabel("Database").fill("mine.db");
      await page.getByLabel("Begin from").selectOption("The plan in tariff");
    }
    await write(page, label, "written");
    await away(page);
    await openAreas(page);
    await page.getByRole("link", { name: back, exact: true }).click();
    await page.locator(`nav a[href="${path}"]`).click();
    await page.getByRole("textbox", { name: label }).getByText("written").waitFor();
    if (what === "a first version") {
      expect(await page.getByLabel("Database").inputValue()).toBe("mine.db");
      expect(await page.getByLabel("Begin from").inputValue()).toBe("plan tariff");
    }
    await away(page);
    expect(await isAskedWhenClosed(page)).toBe(true);
    await done(page);
  });
}

it("a correction of a record is there when somebody comes back, and nothing is done with the record before it is saved", async () => {
  const page = await open("/suspense/919", { user: "otto" });
  const duration = page.getByLabel("callDuration");
  await duration.fill("77");
  await away(page);
  await page.goBack();
  await duration.waitFor();
  expect(await duration.inputValue()).toBe("77");
  expect(await page.getByRole("button", { name: "Retry…" }).isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Discard…" }).isDisabled()).toBe(true);
  expect(await isAskedWhenClosed(page)).toBe(true);
  await page.getByRole("button", { name: "Undo all" }).click();
  await page.getByRole("button", { name: "Retry…" }).click();
  await done(page);
});

it("a correction of what somebody else has corrected meanwhile is refused, and theirs is seen", async () => {
  const page = await open("/suspense/919", { user: "otto" });
  const duration = page.getByLabel("callDuration");
  await duration.fill("77");
  const csrf = await page.evaluate(async () => ((await (await fetch("/api/session")).json()) as { csrf: string }).csrf);
  const { octets } = (await (await page.request.get("/api/suspense/919")).json()) as { octets: string };
  const theirs = { json: { moCallRecord: { callDuration: 61 } }, based_on: octets, because: "theirs" };
  await page.request.put("/api/suspense/919", { data: theirs, headers: { "X-CSRF-Token": csrf } });
  await page.getByLabel("Reason").fill("mine");
  await page.getByRole("button", { name: "Save the correction" }).click();
  await page
    .getByRole("alert")
    .getByText(/corrected by another user meanwhile/)
    .waitFor();
  expect(await duration.inputValue()).toBe("77");
  await page.getByRole("button", { name: "Undo all" }).click();
  await expect.poll(() => duration.inputValue()).toBe("61");
  await page.context().close();
});

it("no window asks when nothing is written, nor when what was written is given up", async () => {
  const page = await open("/tariffs?plan=wholesale.db&version=2");
  await page.getByRole("button", { name: "Edit a copy" }).click();
  await write(page, "Text of prices.csv", "written");
  await page.getByRole("button", { name: "Give up the copy" }).click();
  await page.getByRole("button", { name: "Edit a copy" }).waitFor();
  await away(page);
  expect(await isAskedWhenClosed(page)).toBe(false);
  await page.context().close();
});

for (const width of [1280, 390]) {
  it(`who logs out is asked first, where something is written, at ${width} pixels`, async () => {
    const path = "/scripts?file=scripts/is_billable.dup";
    const page = await open(path, { width, scheme: width === 390 ? "dark" : "light" });
    await write(page, "Text of scripts/is_billable.dup", "written");
    const leave = async () => {
      if (width === 390) await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("button", { name: "Log out" }).click();
    };
    await leave();
    const dialog = page.getByRole("dialog", { name: "Give up your changes?" });
    await dialog.getByText(/saved nowhere/).waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await dialog.getByRole("button", { name: "Go on editing" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: "Text of scripts/is_billable.dup" }).getByText("written").waitFor();
    await leave();
    await dialog.getByRole("button", { name: "Give them up" }).click();
    await page.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
    await done(page);
  });
}
