/** Logins, and the permissions of roles. */
import { expect, it } from "vitest";

import { PASSWORD } from "../fake/world.ts";
import { barriers, done, open, openAreas, settled, useGateway } from "./gateway.ts";

useGateway();

it("who has the wrong password is told so, with the right one sees the graph, and leaves again", async () => {
  const page = await open("/audit", { user: null });
  await page.getByLabel("Name").fill("vera");
  await page.getByLabel("Password").fill("not the password");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").getByText("The name or the password is not right.").waitFor();
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
  await done(page);
});

it("whoever is not logged in asks for the session once, and not again and again", async () => {
  const page = await open("/login", { user: null });
  await page.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(asked.filter((path) => path.startsWith("/api"))).toEqual(["/api/session"]);
  await done(page);
});

it("an invited person chooses a password by the link, which works once", async () => {
  const page = await open("/welcome#invited-nils", { user: null });
  await page.getByText("Welcome, nils.").waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe("nils");
  await page.getByLabel("Password", { exact: true }).fill("too short");
  await page.getByLabel("Password, once more").fill("too short");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByRole("alert").getByText("The password is too short").waitFor();
  await page.getByLabel("Password", { exact: true }).fill("a password of nils");
  await page.getByLabel("Password, once more").fill("a password of nils");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByRole("heading", { level: 1, name: "msc-billing" }).waitFor();
  expect(new URL(page.url()).hash).toBe("");
  await page.goto("/login");
  await page.goto("/welcome#invited-nils");
  await page.getByRole("alert").getByText("This link was used or is too old").waitFor();
  expect(await page.getByLabel("Password").count()).toBe(0);
  // A user who is logged in stays logged in.
  await page.getByRole("button", { name: "To the login" }).click();
  await page.getByRole("heading", { level: 1, name: "msc-billing" }).waitFor();
  await done(page);
});

it("whose session is over logs in again, and is where they were", async () => {
  const page = await open("/files");
  await page.getByRole("heading", { level: 1, name: "Files" }).waitFor();
  await openAreas(page);
  // Reset in the page itself, whose own requests then fail as well.
  await page.getByRole("link", { name: "Trail" }).evaluate(async (link: HTMLElement) => {
    await fetch("/fake/reset");
    link.click();
  });
  await page.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
  await page.getByLabel("Name").fill("anna");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { level: 1, name: "Trail" }).waitFor();
  await done(page);
});

it("a viewer is offered nothing that changes anything", async () => {
  const page = await open("/graph", { user: "vera" });
  await page.getByRole("heading", { level: 1, name: "msc-billing" }).waitFor();
  expect(await page.getByRole("button", { name: "Edit", exact: true }).count()).toBe(0);
  await openAreas(page);
  expect(await page.getByRole("link", { name: "People" }).count()).toBe(0);
  for (const [path, heading, buttons] of [
    ["/alarms", "Alarms", /^(Acknowledge|Take back)…/],
    ["/suspense", "Suspense", /Retry|Discard/],
    ["/suspense/919", "Record 919", /Retry|Discard|Save/],
    ["/deliveries", "Deliveries", /Retry/],
    ["/scripts?file=scripts/is_billable.dup", "Scripts", /Save|Give up/],
  ] as const) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await settled(page);
    expect(await page.getByRole("main").getByRole("button", { name: buttons }).count(), path).toBe(0);
  }
  await page.goto("/people");
  await page.getByText("This page needs the role administrator; yours is viewer.").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
  await done(page);
});

it("an administrator invites somebody, changes a role, and makes a token that is shown once", async () => {
  const page = await open("/people");
  await page.getByRole("button", { name: "Invite…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("ida");
  expect(await dialog.getByLabel("Role").inputValue()).toBe("viewer");
  await dialog.getByRole("button", { name: "Make a link" }).click();
  expect(await dialog.getByLabel("One-time link").inputValue()).toMatch(/\/welcome#invited-ida$/);
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("row", { name: /ida/ }).getByText("invited, not here yet").waitFor();
  await page.getByLabel("Role of otto").selectOption("administrator");
  await page.getByText("otto is administrator now.").waitFor();
  await page.getByRole("button", { name: "Make a token…" }).click();
  await dialog.getByLabel("Name").fill("billing");
  await dialog.getByRole("button", { name: "Make it" }).click();
  expect(await dialog.getByLabel("Token", { exact: true }).inputValue()).toMatch(/_shown_once$/);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Remove token billing" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("The token billing is removed.").waitFor();
  await done(page);
});

it("one's own password is changed by who knows it", async () => {
  const page = await open("/account", { user: "otto" });
  const change = async (before: string) => {
    await page.getByLabel("Password now").fill(before);
    await page.getByLabel("New password", { exact: true }).fill("another long password");
    await page.getByLabel("New password, once more").fill("another long password");
    await page.getByRole("button", { name: "Change it" }).click();
  };
  await change("no");
  await page.getByRole("alert").getByText("The old password is not right.").waitFor();
  await change(PASSWORD);
  await page.getByText("Your password is changed.").waitFor();
  await done(page);
});

it("the colours are those that somebody chooses, also the next time", async () => {
  const page = await open("/trail", { scheme: "light" });
  await page.getByRole("button", { name: "Dark" }).click();
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await ground();
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await ground()).toBe(dark);
  await page.getByRole("button", { name: "Light" }).click();
  expect(await ground()).not.toBe(dark);
  await done(page);
});
