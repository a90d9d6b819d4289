/** Messages of peers of Diameter: the ladder, its filters, and its files. */
import { readFile } from "node:fs/promises";

import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

const MESSAGES = "/accounts?view=messages";
const NUMBER = "46701234567";
const SMF = "smf.epc.example.net";
const CSCF = "cscf.ims.example.net";

const rungs = (page: Page) => page.getByRole("list", { name: "Messages" }).locator(":scope > li");

const commands = async (page: Page) => (await rungs(page).locator("strong").allInnerTexts()).join(" ");

const rung = (page: Page, text: string) => rungs(page).filter({ hasText: text }).first().getByRole("button");

async function isSound(page: Page) {
  expect(await barriers(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
}

for (const width of [1280, 390]) {
  for (const scheme of ["light", "dark"] as const) {
    it(`the messages of a session are a ladder, at ${width} pixels, ${scheme}`, async () => {
      const page = await open(`/accounts?view=sessions&number=${NUMBER}`, { user: "vera", width, scheme });
      await page.getByRole("link", { name: "messages of the session" }).click();
      await expect.poll(() => commands(page)).toBe("CCR CCA CCR CCA");
      expect(page.url()).toContain("view=messages&session=5f0c9a1e77d24b1083c6e2d94a7b0e51");
      const [first, refusal] = [rungs(page).first(), rungs(page).last()];
      await first.getByText("initial 0: 1000000 octets wanted (rating group 100)").waitFor();
      const time = first.getByText(/^\d\d:\d\d:\d\d\.\d{3}$/);
      expect(await time.getAttribute("title")).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}456 UTC$/);
      const mark = refusal.getByText("4012", { exact: true });
      expect(await mark.getAttribute("title")).toBe("Credit limit reached");
      expect(await mark.getAttribute("class")).toContain("mark-minor");
      await refusal.getByText("there is not enough money").waitFor();
      await rung(page, "granted").getByText("2001", { exact: true }).waitFor();
      const heading = page.locator(".ladder-head");
      expect(await heading.isVisible()).toBe(width === 1280);
      if (width === 1280)
        expect(await heading.locator(".fixed").allInnerTexts()).toEqual([SMF, "tollgate.example.net"]);
      expect(await first.getByText("→").isVisible()).toBe(width === 390);
      expect(await refusal.getByText("←").isVisible()).toBe(width === 390);
      await isSound(page);
      await done(page);
    });

    it(`what a peer sends is shown and does no harm, at ${width} pixels, ${scheme}`, async () => {
      const page = await open(MESSAGES, { user: "vera", width, scheme });
      await rung(page, "5004").click();
      await rung(page, "it cannot be read").click();
      await page.getByText("\\u202eevil\\u0007<b>xxx", { exact: false }).first().waitFor();
      expect(await page.locator(".ladder b").count()).toBe(0);
      await isSound(page);
      await done(page);
    });
  }
}

it("an arrow goes from the line of its peer to that of this node", async () => {
  const page = await open(MESSAGES, { user: "vera" });
  await rungs(page).first().waitFor();
  const middle = async (host: string) => {
    const box = (await page.locator(".ladder-head").getByText(host).boundingBox())!;
    return box.x + box.width / 2;
  };
  const [node, smf] = [await middle("tollgate.example.net"), await middle(SMF)];
  const arrow = (await rung(page, "initial 0").locator(".arrow").boundingBox())!;
  expect(Math.abs(arrow.x - smf)).toBeLessThan(2);
  expect(Math.abs(arrow.x + arrow.width - node)).toBeLessThan(2);
  const watchdog = (await rung(page, "DWR").locator(".arrow").boundingBox())!;
  expect(Math.abs(watchdog.x - (await middle(CSCF)))).toBeLessThan(2);
  await done(page);
});

it("the AVPs of a message open by the keyboard, and its answer is marked", async () => {
  const page = await open(MESSAGES, { user: "vera" });
  const request = rung(page, "initial 0");
  await request.focus();
  const answer = rungs(page).nth(1);
  await expect.poll(() => answer.getAttribute("class")).toContain("is-partner");
  expect(await page.locator(".is-partner").count()).toBe(1);
  expect(await request.getAttribute("aria-expanded")).toBe("false");
  await page.keyboard.press("Enter");
  const tree = page.getByRole("list", { name: "AVPs" });
  await tree.getByText("CC-Request-Type").waitFor();
  expect(await request.getAttribute("aria-expanded")).toBe("true");
  const groups = tree.locator("li", { hasText: "Requested-Service-Unit" });
  await groups.last().getByText("CC-Total-Octets").waitFor();
  await tree.locator("li", { hasText: "AVP 8" }).getByText("vendor 9").waitFor();
  await isSound(page);
  await page.keyboard.press("Space");
  await expect.poll(() => tree.count()).toBe(0);
  await page.keyboard.press("Tab");
  await expect.poll(() => rungs(page).first().getAttribute("class")).toContain("is-partner");
  await page.keyboard.press("Enter");
  await page.getByText("4.0 ms").waitFor();
  await done(page);
});

it("messages are of a peer, or of a number", async () => {
  const page = await open("/accounts?view=peers", { user: "vera" });
  await page.getByRole("link", { name: `messages of ${CSCF}` }).click();
  await expect.poll(() => commands(page)).toBe("DWR DWA 272 272");
  const peer = page.getByLabel("Peer", { exact: true });
  expect(await peer.inputValue()).toBe(CSCF);
  await peer.fill(SMF.toUpperCase());
  await expect.poll(() => commands(page)).toBe("CCR CCA CCR CCA");
  await peer.fill("pgw.example.net");
  await page.getByRole("heading", { name: "No such messages" }).waitFor();
  await page.getByText("before the last start of the charging system are gone", { exact: false }).waitFor();
  expect(await page.getByRole("button", { name: "Download XML" }).isDisabled()).toBe(true);
  await isSound(page);
  await page.goto(`/accounts/${NUMBER}`);
  await page.getByRole("link", { name: `messages of the number ${NUMBER}` }).click();
  await expect.poll(() => commands(page)).toBe("CCR CCA CCR CCA");
  expect(await page.getByRole("searchbox", { name: "Number" }).inputValue()).toBe(NUMBER);
  await page.goto(`/accounts/${NUMBER}`);
  await page.getByRole("link", { name: "messages of the session 5f0c9a1e" }).click();
  await expect.poll(() => commands(page)).toBe("CCR CCA CCR CCA");
  await done(page);
});

it("messages are saved for Wireshark and as XML", async () => {
  const page = await open(`${MESSAGES}&peer=${SMF}`, { user: "vera", width: 390 });
  await rungs(page).first().waitFor();
  const saved = async (button: string) => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: button }).click();
    const file = await download;
    return { name: file.suggestedFilename(), octets: await readFile(await file.path()) };
  };
  const pcapng = await saved("Download for Wireshark");
  expect(pcapng.name).toBe("tollgate-messages.pcapng");
  expect([...pcapng.octets.subarray(0, 6)]).toEqual([0x0a, 0x0d, 0x0d, 0x0a, 0x00, 0xff]);
  expect(pcapng.octets.subarray(6).toString()).toBe("CCRCCACCRCCA");
  const xml = await saved("Download XML");
  expect(xml.name).toBe("tollgate-messages.xml");
  expect(xml.octets.toString()).toBe("<messages/>\nCCRCCACCRCCA");
  await page.route("**/api/charging/messages?*file=*", (route) => route.abort());
  await page.getByRole("button", { name: "Download XML" }).click();
  await page.getByRole("alert").getByText("The gateway does not answer.").waitFor();
  await isSound(page);
  await done(page);
});

it("new messages come by themselves as long as they are followed", async () => {
  const page = await open("/alarms", { user: "vera" });
  let shown = 2;
  await page.route("**/api/charging/messages?*", async (route) => {
    const response = await route.fetch();
    const found = await response.json();
    await route.fulfill({ response, json: { ...found, messages: found.messages.slice(0, shown) } });
  });
  await page.goto(`${MESSAGES}&limit=300`);
  await expect.poll(() => rungs(page).count()).toBe(2);
  shown = 4;
  await expect.poll(() => rungs(page).count()).toBe(4);
  await page.getByLabel("follow").uncheck();
  expect(page.url()).toContain("follow=false");
  shown = 6;
  await page.waitForTimeout(3_000);
  expect(await rungs(page).count()).toBe(4);
  const request = page.waitForRequest("**/api/charging/messages?*");
  await page.getByRole("button", { name: "Look again" }).click();
  expect((await request).url()).toContain("limit=300");
  await expect.poll(() => rungs(page).count()).toBe(6);
  await done(page);
});

/** Answers all requests for messages with a refusal, and counts them. */
async function refuse(page: Page, status: number, code: string, error: string): Promise<() => number> {
  let requests = 0;
  await page.route("**/api/charging/messages?*", (route) => {
    requests += 1;
    return route.fulfill({ status, json: { error, code } });
  });
  return () => requests;
}

for (const width of [1280, 390]) {
  it(`a role without subscriber data has no messages, at ${width} pixels`, async () => {
    const page = await open("/alarms", { user: "vera", width });
    const hidden = "a look at prepaid accounts needs the role operator";
    const requests = await refuse(page, 403, "subscriber-data-hidden", hidden);
    await page.goto(MESSAGES);
    await page.getByText("Your role does not see subscriber data, and so no messages.", { exact: false }).waitFor();
    expect(await page.getByRole("button", { name: "Download XML" }).count()).toBe(0);
    await isSound(page);
    await page.waitForTimeout(3_000);
    expect(requests()).toBe(1);
    await done(page);
  });
}

it("without a system that has peers, the page says how to get one", async () => {
  const page = await open("/alarms", { user: "vera", width: 390 });
  await refuse(page, 409, "no-peers", "no charging system with [diameter] runs, so there are no messages");
  await page.goto(MESSAGES);
  await page.getByText("No charging system with [diameter] runs.", { exact: false }).waitFor();
  await isSound(page);
  await done(page);
});

it("without messages, the page says which ones are there", async () => {
  const page = await open("/alarms", { user: "vera", width: 390 });
  await page.route("**/api/charging/messages?*", (route) =>
    route.fulfill({ json: { node: "tollgate.example.net", messages: [], file: null } }),
  );
  await page.goto(MESSAGES);
  await page.getByRole("heading", { name: "No messages yet" }).waitFor();
  await page.getByText("before the last start of the charging system are gone", { exact: false }).waitFor();
  await isSound(page);
  await done(page);
});

it("a session whose number is masked has no link to its messages", async () => {
  const page = await open("/alarms", { user: "vera" });
  await page.route("**/api/charging/sessions**", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), masked: true } });
  });
  await page.goto("/accounts?view=sessions");
  await page.getByText("Numbers are masked").waitFor();
  expect(await page.getByRole("link", { name: "messages of the session" }).count()).toBe(0);
  await done(page);
});
