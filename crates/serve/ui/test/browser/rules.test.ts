/** An analyst changes a rule: its mistakes are shown, it is tried on files, proposed, and activated by a second person. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { PASSWORD } from "../fake/world.ts";
import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

const WANGIRI = "rules/wangiri.toml";

const editor = (page: Page, file: string) => page.getByRole("textbox", { name: `Text of ${file}` });

const check = (page: Page) => page.getByRole("status", { name: "Check of the file" });

/** Replaces the text of a file. */
async function write(page: Page, file: string, text: string): Promise<void> {
  await editor(page, file).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

async function send(page: Page, method: "PUT" | "POST", path: string, data: object): Promise<{ version: number }> {
  const { csrf } = (await (await page.request.get("/api/session")).json()) as { csrf: string };
  const answer = await page.request.fetch(path, { method, data, headers: { "X-CSRF-Token": csrf } });
  expect(answer.status()).toBe(200);
  return (await answer.json()) as { version: number };
}

/** Makes the flow want a second person. */
async function wantSecondPerson(page: Page): Promise<void> {
  const { text } = (await (await page.request.get("/api/flow")).json()) as { text: string };
  const saved = { text: `${text}\n[serve]\nsecond-person = true\n`, remark: "two" };
  const { version } = await send(page, "POST", "/api/flow/versions", saved);
  await send(page, "POST", `/api/flow/versions/${version}/activate`, { because: "two" });
}

/** Answers the dialog of a save with a remark. */
async function answer(page: Page, word: string, remark: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Remark").fill(remark);
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: word, exact: true }).click();
}

for (const width of [1280, 390]) {
  it(`a rule is changed, mended, tried, proposed, and activated by a second person, at ${width} pixels`, async () => {
    const page = await open("/account", { user: "otto", width });
    await wantSecondPerson(page);
    await page.goto("/fraud/rules");
    await page.getByRole("table", { name: "Rules" }).getByRole("link", { name: "wangiri", exact: true }).click();
    await check(page).getByText("No mistakes.").waitFor();
    const strict =
      'title = "one number rings many"\nabout = "caller" # and no other\nat-least = 60\nwithin = "10 minutes"\n';
    await write(page, WANGIRI, strict.replace("caller", "caler"));
    await check(page).getByText('No subject named "caler"').waitFor();
    await check(page).getByRole("button", { name: "Line 2, column 9" }).click();
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await write(page, WANGIRI, strict);
    await check(page).getByText("No mistakes.").waitFor();

    await page.getByRole("link", { name: "Try on yesterday’s files" }).click();
    const form = page.getByRole("form", { name: "What is to be tried" });
    expect(await form.getByLabel("What is tried").inputValue()).toBe(`draft ${WANGIRI}`);
    await form.getByRole("button", { name: "Try it" }).click();
    const rules = page.getByRole("table", { name: "Alerts by rule" });
    expect(await rules.getByRole("row", { name: /wangiri/ }).innerText()).toMatch(/5\.0\s+3\.0/);
    await page.getByRole("link", { name: `To ${WANGIRI}` }).click();

    await editor(page, WANGIRI).getByText("at-least = 60").waitFor();
    await page.getByRole("button", { name: "Propose…" }).click();
    await page.getByRole("dialog", { name: `Propose ${WANGIRI}` }).waitFor();
    await answer(page, "Propose", "call centres ring many");
    await page.getByText("Your change is proposed.").waitFor();
    // The file is as before until then.
    await editor(page, WANGIRI).getByText("at-least = 40").waitFor();
    expect(await page.getByRole("button", { name: "Propose…" }).isDisabled()).toBe(true);

    await page.request.post("/login", { data: { name: "anna", password: PASSWORD } });
    await page.goto("/graph");
    await page.getByRole("button", { name: "Versions" }).click();
    const versions = page.getByRole("region", { name: "Versions of the flow" });
    await versions.getByText("call centres ring many").waitFor();
    await versions
      .getByRole("button", { name: /^Look at version/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Proposed by otto").waitFor();
    await dialog.getByRole("button", { name: "Activate…" }).click();
    await dialog.getByLabel("Reason").fill("looked at");
    await dialog.getByRole("button", { name: "Activate", exact: true }).click();
    await page.getByText(/^Version \d+ is active/).waitFor();
    await page.goto(`/fraud/rules?file=${WANGIRI}`);
    await editor(page, WANGIRI).getByText("at-least = 60").waitFor();
    await done(page);
  });
}

it("a new rule begins as one that is only tried out, and is listed until it is given up or saved", async () => {
  const page = await open("/fraud/rules", { user: "otto" });
  const file = "rules/many-rings.toml";
  const begin = async (name: string) => {
    await page.getByRole("button", { name: "New rule…" }).click();
    const dialog = page.getByRole("dialog", { name: "New rule" });
    await dialog.getByLabel("Name").fill("wangiri");
    await dialog.getByText("There is a file rules/wangiri.toml already.").waitFor();
    expect(await dialog.getByRole("button", { name: "Write it" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Name").fill(name);
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Write it" }).click();
    await editor(page, file).getByText('mode = "shadow"').waitFor();
  };
  await begin("many-rings");
  await check(page).getByText("No mistakes.").waitFor();
  await page.getByRole("button", { name: "Give up the changes" }).click();
  await page.getByRole("table", { name: "Rules" }).waitFor();
  await begin("many-rings");
  const files = page.getByRole("navigation", { name: "Files of rules" });
  await files.getByRole("link", { name: "rules/limits.csv" }).click();
  await editor(page, "rules/limits.csv").getByText("882").waitFor();
  await files.getByRole("link", { name: `${file} changed, not saved` }).click();
  await page.getByRole("button", { name: "Save and activate…" }).click();
  await answer(page, "Save and activate", "as of today");
  await page.getByText(`${file} is active`).waitFor();
  await files.getByRole("link", { name: file, exact: true }).waitFor();
  await editor(page, file).getByText('mode = "shadow"').waitFor();
  expect(await page.getByRole("button", { name: "Save and activate…" }).isDisabled()).toBe(true);
  await done(page);
});

it("a rule that another user changed meanwhile is not replaced", async () => {
  const page = await open(`/fraud/rules?file=${WANGIRI}`, { user: "otto" });
  await check(page).getByText("No mistakes.").waitFor();
  await write(page, WANGIRI, 'about = "caller"\nat-least = 50\n');
  const path = `/api/fraud/rule-files/${WANGIRI}`;
  const { digest } = (await (await page.request.get(path)).json()) as { digest: string };
  await page.getByRole("button", { name: "Save and activate…" }).click();
  await send(page, "PUT", path, { text: 'about = "pair"\nat-least = 2\n', based_on: digest, remark: "pairs" });
  await answer(page, "Save and activate", "fewer");
  await page.getByRole("alert").getByText("The rule was changed by another user meanwhile").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Show it as it is now" }).click();
  await editor(page, WANGIRI).getByText('about = "pair"').waitFor();
  await done(page);
});

it("a viewer reads a rule, and changes nothing", async () => {
  const page = await open("/fraud/rules", { user: "vera" });
  await page.getByRole("table", { name: "Rules" }).getByRole("link", { name: "wangiri", exact: true }).click();
  await editor(page, WANGIRI).getByText("at-least = 40").waitFor();
  expect(await page.getByRole("button", { name: /^(Save|Propose|Give up|New rule)/ }).count()).toBe(0);
  await done(page);
});
