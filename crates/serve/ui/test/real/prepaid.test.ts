/** Prepaid accounts on a real gateway, beside a charging system that runs: what the page does is what the books say. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { barriers, isTooWide, settled } from "../seen.ts";
import { TOLLGATE, open, run, useGateway, welcome } from "./gateway.ts";

const EXAMPLE = resolve("../../../examples/prepaid");

/** A subscriber with 200.00 SEK, and one with too little for a message. */
const [ANNA, POOR] = ["46701000007", "46701000000"];

const gateway = useGateway((flow, folder) => {
  for (const name of ["charging.toml", "tariff", "subscribers.csv"])
    cpSync(join(EXAMPLE, name), join(folder, name), { recursive: true });
  const settings = join(folder, "charging.toml");
  writeFileSync(settings, readFileSync(settings, "utf8").replace("127.0.0.1:8090", "127.0.0.1:0"));
  run(folder, "subscriber", "import", "subscribers.csv");
  return flow;
});

let charging: ChildProcess;

/** The address at which networks reach the charging system. */
let network = "";

let page: Page;

beforeAll(async () => {
  charging = spawn(TOLLGATE, ["charge", "run"], { cwd: gateway.folder, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  charging.stderr!.setEncoding("utf8").on("data", (text: string) => (said += text));
  await vi.waitFor(() => expect(said).toMatch(/http:.*\n/), 30_000);
  network = /http:\/\/[0-9.:]+/.exec(said)![0];
  page = await open(gateway, gateway.link);
  await welcome(page, "anna");
});

afterAll(() => void charging?.kill());

/** Returns the answer of the API. */
const api = async (path: string) => (await page.request.get(`/api/${path}`)).json();

/** Returns the entries of an account as the command prints them, the newest first. */
const entries = (number: string) =>
  run(gateway.folder, "account", "history", number, "--json")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const history = () => page.getByRole("table", { name: "History" });

/** Chooses an action of the page, and returns its dialog. */
async function ask(action: string) {
  await page.getByRole("button", { name: action }).click();
  return page.getByRole("dialog");
}

/** Opens an entry in the history. */
const why = (entry: number) =>
  history()
    .getByRole("button", { name: new RegExp(`Why entry ${entry}$`) })
    .click();

/** Checks the page at both widths. */
async function isSound() {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await settled(page);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

it("a subscriber is found by a part of the number", async () => {
  await page.goto("/accounts");
  await page.getByRole("searchbox", { name: "Number" }).fill("1000007");
  const found = page.getByRole("table", { name: "Accounts" }).getByRole("row").filter({ hasText: "4670" });
  await expect.poll(() => found.count()).toBe(1);
  await found.getByText("200.00 SEK").waitFor();
  await isSound();
  await found.getByRole("link", { name: ANNA }).click();
  await page.getByRole("heading", { level: 1, name: `Account of ${ANNA}` }).waitFor();
});

it("a refill has the reference of its payment", async () => {
  const dialog = await ask("Refill…");
  await dialog.getByLabel("Amount in SEK").fill("100.00");
  await dialog.getByLabel("Reference").fill("payment-4711");
  await dialog.getByLabel("Reason").fill("paid in the shop");
  await dialog.getByRole("button", { name: "Refill" }).click();
  await page.getByText("The main balance is 300.00 SEK now.", { exact: false }).waitFor();
  const [refill] = entries(ANNA);
  const remark = { kind: "refill", who: "anna", because: "paid in the shop", reference: "payment-4711" };
  expect(refill).toMatchObject({ entry: 2, amount: "100.00", balance: "300.00", system: "refill", remark });
});

it("a trial call reserves money while it goes on, and costs what was used until it hangs up", async () => {
  const dialog = await ask("Place a call…");
  await dialog.getByLabel("Service").selectOption("telephony");
  await dialog.getByLabel("Called number").fill("46812345678");
  await dialog.getByLabel("Seconds between reports").fill("10");
  await dialog.getByLabel("How fast").selectOption({ label: "like a real call" });
  await dialog.getByRole("button", { name: "Place the call" }).click();
  const main = page.getByRole("article", { name: "Main balance" });
  await main.getByText("299.90 SEK available, 0.10 SEK reserved").waitFor();
  expect((await api(`accounts/${ANNA}`)).sessions).toMatchObject([{ client: "trial of anna", reserved: "0.10" }]);
  const call = page.getByRole("region", { name: "Trial call" });
  await call.getByText("1, next").waitFor();
  // Ten seconds are paid, and the next ten are reserved.
  await main.getByText("299.80 SEK available, 0.10 SEK reserved").waitFor();
  await isSound();
  await call.getByRole("button", { name: "Hang up" }).click();
  const cost = /It cost (\d+\.\d\d) SEK/;
  await call.getByText(cost).waitFor();
  const paid = Number(cost.exec(await call.innerText())![1]);
  const left = (300 - paid).toFixed(2);
  await main.getByText(`${left} SEK available`).waitFor();
  const { balances, sessions } = await api(`accounts/${ANNA}`);
  expect(balances).toMatchObject([{ amount: left, reserved: "0.00", available: left }]);
  expect(sessions.filter(({ ended }: { ended: boolean }) => !ended)).toEqual([]);
  const charges = entries(ANNA).filter(({ system }) => system === "revenue");
  expect(charges.reduce((sum, { amount }) => sum - Number(amount), 0)).toBeCloseTo(paid, 2);
});

it("an entry says why it was charged, as the command does, and is reversed once", async () => {
  await why(3);
  await page.getByText("10 seconds by trial of anna").waitFor();
  const steps = page.getByRole("table", { name: "Steps to the price of entry 3" });
  const { charged } = entries(ANNA).find(({ entry }) => entry === 3);
  for (const { found } of charged.steps) await steps.getByText(found, { exact: true }).first().waitFor();
  const explained = run(gateway.folder, "account", "explain", ANNA, "3");
  for (const part of ["prices.csv", "10 seconds"]) expect(explained).toContain(part);
  await steps.getByText(/^prices\.csv:\d+$/).waitFor();
  await isSound();
  const dialog = await ask("Reverse entry 3…");
  await dialog.getByText("The account gets 0.10 SEK back", { exact: false }).waitFor();
  await dialog.getByLabel("Reason").fill("it was a trial");
  await dialog.getByRole("button", { name: "Reverse" }).click();
  await page.getByText("Entry 3 is reversed.", { exact: false }).waitFor();
  const [reversal] = entries(ANNA);
  const remark = { who: "anna", because: "it was a trial", reverses: 3 };
  expect(reversal).toMatchObject({ amount: "0.10", system: "revenue", remark });
  await page.getByText(`It is reversed by entry ${reversal.entry}.`).waitFor();
  expect(await page.getByRole("button", { name: "Reverse entry 3…" }).count()).toBe(0);
});

it("what was refused to a network stands on the page of its subscriber with the reason", async () => {
  const leg = { service: "sms", other: "46702000000", used: { events: 1 } };
  const message = { session: "a", phase: "event", event: "debit", subscriber: POOR, legs: [leg] };
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${network}/interrogations`, { method: "POST", headers, body: JSON.stringify(message) });
  const [{ refused }] = (await answer.json()).legs;
  await page.goto(`/accounts/${POOR}`);
  const row = page.getByRole("table", { name: "Refused" }).getByRole("row").filter({ hasText: "46702000000" });
  await row.getByText("there is no money for the service").waitFor();
  expect(refused.text).toBe("there is no money for the service");
  const { refusals } = await api(`accounts/${POOR}/refusals`);
  expect(refusals).toMatchObject([{ service: "sms", other: "46702000000", client: "local", text: refused.text }]);
  await isSound();
});

it("the books are balanced in the end", async () => {
  expect(JSON.parse(run(gateway.folder, "ledger", "check", "--json"))).toMatchObject({ fault_count: 0 });
  await page.goto("/accounts");
  const figures = page.getByRole("region", { name: "Figures of the charging system" });
  await figures.getByText("the sum is zero").waitFor();
  await page.close();
});
