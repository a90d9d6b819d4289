/** Starts a real gateway of the example, and a browser. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";

import { launch } from "../chromium.ts";
import { listen } from "../seen.ts";

export const PASSWORD = "a quiet night of watching";

export const TOLLGATE = resolve(process.env.TOLLGATE ?? "../../../target/debug/tollgate");

export interface Gateway {
  address: string;
  /** The path of the one-time link. */
  link: string;
  folder: string;
  browser: Browser;
}

/** Runs a command that must succeed, and returns its output. */
export function run(folder: string, ...words: string[]): string {
  const { status, stderr, stdout } = spawnSync(TOLLGATE, words, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`tollgate ${words.join(" ")}: ${stderr}`);
  return stdout;
}

/**
 * Starts a gateway; call it once in a file. The result is filled when the tests begin. `flow` changes the example's
 * flow file.
 */
export function useGateway(flow: (text: string, folder: string) => string = (text) => text): Gateway {
  const gateway = { address: "", link: "", folder: "" } as Gateway;
  let process_: ChildProcess;
  beforeAll(async () => {
    if (!existsSync(TOLLGATE)) throw new Error(`there is no ${TOLLGATE}: build it, or say where it is in TOLLGATE`);
    const folder = mkdtempSync(join(tmpdir(), "tollgate-interface-"));
    run(folder, "init", "example");
    gateway.folder = join(folder, "example");
    const file = join(gateway.folder, "flow.toml");
    writeFileSync(file, flow(readFileSync(file, "utf8"), gateway.folder));
    process_ = spawn(TOLLGATE, ["serve", "flow.toml", "--listen", "127.0.0.1:0"], {
      cwd: gateway.folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    process_.stderr!.setEncoding("utf8").on("data", (text: string) => (said += text));
    const end = Date.now() + 60_000;
    while (gateway.link === "" && Date.now() < end) {
      const found = /(http:\/\/[0-9.:]+)(\/welcome#[0-9a-f]+)/.exec(said);
      if (found) [gateway.address, gateway.link] = [found[1]!, found[2]!];
      await new Promise((after) => setTimeout(after, 50));
    }
    if (gateway.link === "") throw new Error(`it does not begin: ${said}`);
    gateway.browser = await launch();
  });
  afterAll(async () => {
    await gateway.browser?.close();
    process_?.kill();
    // Without a gateway, the folder above would be one of the repository.
    if (gateway.folder !== "") rmSync(join(gateway.folder, ".."), { recursive: true, force: true });
  });
  return gateway;
}

/** Opens a page in a new browser context, without a session. Errors that the browser reports fail the test. */
export async function open(gateway: Gateway, path: string): Promise<Page> {
  const context = await gateway.browser.newContext({
    baseURL: gateway.address,
    viewport: { width: 1280, height: 800 },
  });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  listen(page);
  await page.goto(path);
  return page;
}

export const node = (page: Page, name: string) => page.locator(`.react-flow__node[data-id="${name}"]`);

/** Draws an edge with the mouse. */
export async function connect(page: Page, from: string, handle: string, to: string): Promise<void> {
  // `hover` waits until the graph stops moving, as it does when a panel closes.
  await node(page, from).locator(`.react-flow__handle.source[data-handleid="${handle}"]`).hover();
  await page.mouse.down();
  await node(page, to).locator(".react-flow__handle.target").hover();
  await page.mouse.up();
}

/** Takes a picture for the docs, if `PICTURES` is set. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.PICTURES) return;
  mkdirSync(process.env.PICTURES, { recursive: true });
  await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`) });
}

/** Logs in with a one-time link. */
export async function welcome(page: Page, name?: string): Promise<void> {
  if (name !== undefined) await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Password, once more").fill(PASSWORD);
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByRole("heading", { level: 1, name: "example" }).waitFor();
}

/** Invites a user, who logs in on a page of their own. */
export async function invited(gateway: Gateway, by: Page, name: string, role: string): Promise<Page> {
  await by.goto("/people");
  await by.getByRole("button", { name: /^Invite/ }).click();
  const dialog = by.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Role").selectOption(role);
  await dialog.getByRole("button", { name: /link/i }).click();
  const link = dialog.getByLabel("One-time link");
  await expect.poll(() => link.inputValue()).toMatch(/\/welcome#/);
  const page = await open(gateway, (await link.inputValue()).replace(/^.*\/welcome/, "/welcome"));
  await welcome(page);
  return page;
}

let files = 0;

/** Puts a file of each switching centre into its folder. */
export function come(gateway: Gateway): void {
  files += 1;
  const made = mkdtempSync(join(tmpdir(), "tollgate-simulated-"));
  run(made, "simulate", "cdr", ".", "--seed", String(100 + files), "--count", "4000", "--files", "2");
  for (const centre of ["new-york", "boston"]) {
    for (const file of readdirSync(join(made, centre)).filter((name) => name.endsWith(".ber"))) {
      const part = join(gateway.folder, "in", centre, `.${files}.part`);
      spawnSync("cp", [join(made, centre, file), part]);
      renameSync(part, join(gateway.folder, "in", centre, `${centre}-more-${files}.ber`));
    }
  }
  rmSync(made, { recursive: true });
}
