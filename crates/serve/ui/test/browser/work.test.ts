/** The work of operators: alarms, suspense, deliveries, scripts. */
import { expect, it } from "vitest";

import { address, barriers, done, isTooWide, open, openAreas, useGateway } from "./gateway.ts";

useGateway();

it("an alarm is acknowledged with a remark, and the acknowledgement taken back", async () => {
  const page = await open("/alarms", { user: "otto" });
  await page.getByRole("checkbox", { name: /3 files are missing/ }).click();
  await page.getByRole("button", { name: "Acknowledge…" }).click();
  const dialog = page.getByRole("dialog", { name: "Acknowledge 1 alarm" });
  expect(await dialog.getByRole("button", { name: "Acknowledge" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Remark").fill("The exchange sends them again");
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await page
    .getByRole("row", { name: /3 files are missing/ })
    .getByText("The exchange sends them again")
    .waitFor();
  await page.getByRole("checkbox", { name: /3 files are missing/ }).click();
  await page.getByRole("button", { name: "Take back…" }).click();
  await page.getByRole("dialog").getByLabel("Remark").fill("They do not");
  await page.getByRole("dialog").getByRole("button", { name: "Take back" }).click();
  await page
    .getByRole("row", { name: /3 files are missing/ })
    .getByText("not acknowledged")
    .waitFor();
  await done(page);
});

it("alarms that are all acknowledged are counted, and alarm nobody", async () => {
  const page = await open("/alarms", { user: "otto" });
  const badge = page.getByRole("navigation", { name: "Pages" }).getByText("3 raised");
  await badge.waitFor();
  expect(await badge.getAttribute("class")).toContain("badge-grave");
  await page.getByRole("checkbox", { name: "Choose all that are shown" }).click();
  await page.getByRole("button", { name: "Acknowledge…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Remark").fill("We know");
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await expect.poll(() => badge.getAttribute("class")).not.toContain("badge-grave");
  expect(await page.locator(".standing .standard-major").count()).toBe(0);
  await done(page);
});

it("the audit tells what does not agree, and which files it says nothing of", async () => {
  const page = await open("/audit");
  const differences = page.getByRole("region", { name: "Differences" });
  await differences.getByText("1,000 records came in, 999 are accounted for").waitFor();
  await page.getByText("Not audited: msc-boston: 1 file set aside").waitFor();
  await done(page);
});

it("what is missing is accepted as lost, for a reason", async () => {
  for (const width of [1280, 390]) {
    const page = await open("/audit/sequences", { user: "otto", width });
    await page.getByRole("button", { name: "Accept files 10417-10419 of msc-boston as lost" }).click();
    const dialog = page.getByRole("dialog", { name: "Accept files of msc-boston as lost?" });
    expect(await dialog.getByLabel("Numbers of files").inputValue()).toBe("10417-10419");
    expect(await dialog.getByRole("button", { name: "Accept as lost" }).isDisabled()).toBe(true);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await dialog.getByLabel("Reason").fill("the disk burnt");
    await dialog.getByLabel("Numbers of files").fill("17");
    await dialog.getByRole("button", { name: "Accept as lost" }).click();
    await dialog.getByText("none of them is missing").waitFor();
    await dialog.getByLabel("Numbers of files").fill("10417-10419");
    await page.keyboard.press("Enter");
    await page.getByText("3 files accepted as lost.").waitFor();
    await page.getByText("Nothing is missing.").waitFor();
    await page.getByText("otto: the disk burnt").waitFor();
    await done(page);
  }
  const page = await open("/audit/sequences", { user: "vera" });
  await page.getByRole("row", { name: /missing msc-boston/ }).waitFor();
  expect(await page.getByRole("button", { name: /^Accept/ }).count()).toBe(0);
  await done(page);
});

it("alarms that are over are shown to who asks", async () => {
  const page = await open("/alarms");
  await page.getByRole("row", { name: /3 files are missing/ }).waitFor();
  expect(await page.getByText("nothing came for an hour").count()).toBe(0);
  await page.getByRole("link", { name: "Also those that are over" }).click();
  await page.getByText("nothing came for an hour").waitFor();
  await page.getByRole("link", { name: "Raised", exact: true }).click();
  await page.getByText("nothing came for an hour").waitFor({ state: "detached" });
  await done(page);
});

it("a record's field is corrected, its numbers keep their digits, and it is retried", async () => {
  const page = await open("/suspense/919", { user: "otto" });
  expect(await page.getByLabel("callReference").inputValue()).toBe("9007199254740993123");
  await page.getByLabel("callDuration").fill("sixty");
  await page.getByLabel("Reason").fill("the exchange sent it anew");
  await page.getByRole("button", { name: "Save the correction" }).click();
  await page.getByRole("alert").getByText('"sixty" in callDuration is no number.').waitFor();
  await page.getByLabel("callDuration").fill("62");
  await page.getByRole("button", { name: "Save the correction" }).click();
  await page.getByText("open, corrected").waitFor();
  expect(await page.getByLabel("callReference").inputValue()).toBe("9007199254740993123");
  expect(await page.getByLabel("callDuration").inputValue()).toBe("62");
  await page.getByRole("button", { name: "Retry…" }).click();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
  await page.getByText("1 record retried: 1 delivered.").waitFor();
  await page.getByText("retried, corrected").waitFor();
  await done(page);
});

it("a record that cannot be read is corrected by its octets", async () => {
  const page = await open("/suspense/928", { user: "otto" });
  const octets = page.getByLabel("Its octets, in hexadecimal");
  expect((await octets.inputValue()).split("\n")[0]).toBe("a0 81 f2 80 01 02 81 08 24 00 17 00 00 00 10 f0");
  await octets.fill("a0 05 8d 01 3d");
  await page.getByLabel("Reason").fill("the length says so");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Save the correction" }).click();
  await page.getByText("The record is corrected, and can be read.").waitFor();
  await page.getByLabel("callDuration").waitFor();
  await done(page);
});

for (const width of [1280, 390]) {
  it(`a record's fields are chosen, added and removed by their types, at ${width} pixels`, async () => {
    const page = await open("/suspense/919", { user: "otto", width });
    let sent = "";
    page.on("request", (request) => {
      if (request.method() === "PUT") sent = request.postData() ?? "";
    });
    const name = (label: string) => page.getByLabel(label, { exact: true });
    const at = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    // An enumeration offers its names. Telephone digits are shown as digits.
    await name("causeForTermination").selectOption("partialRecord");
    expect(await name("servedIMSI").inputValue()).toBe("2400170000822");
    await name("servedIMSI").fill("+46 70 123");
    expect(await name("servedIMSI").inputValue()).toBe("4670123");
    await name("callingNumber").fill("");
    // A missing field is added and has the focus.
    await name("A field to add").selectOption("chargedParty");
    await page.getByRole("button", { name: "Add it", exact: true }).click();
    await expect.poll(at).toBe("chargedParty");
    await name("chargedParty").selectOption("called");
    await page.getByRole("button", { name: "Remove calledNumber" }).press("Enter");
    await name("calledNumber").waitFor({ state: "detached" });
    // So has a new element of a list, and another alternative.
    await page.getByRole("button", { name: "Add to services" }).click();
    await expect.poll(at).toBe("services[1].code");
    await page.keyboard.type("9007199254740993");
    await page.getByRole("button", { name: "Remove services[0]", exact: true }).click();
    expect(await name("services[0].code").inputValue()).toBe("9007199254740993");
    await name("A field to add to details").selectOption("partner");
    await page.getByRole("button", { name: "Add it to details" }).click();
    await name("Which of details.partner it is").selectOption("name");
    await name("details.partner.name").fill("Fjord");
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.getByLabel("Reason").fill("the exchange sent it anew");
    await page.getByRole("button", { name: "Save the correction" }).click();
    await page.getByText("open, corrected").waitFor();
    for (const part of [
      '"servedIMSI":"640721f3","callingNumber":"","answerTime":',
      '"chargedParty":"called","callDuration":61,"causeForTermination":"partialRecord"',
      '"services":[{"code":9007199254740993}],"details":{"roaming":null,"partner":{"name":"Fjord"}}',
    ])
      expect(sent).toContain(part);
    await done(page);
  });
}

it("what fields cannot say is said as JSON, and a mistake in it has a place", async () => {
  const page = await open("/suspense/919", { user: "otto" });
  await page.getByRole("button", { name: "As JSON" }).click();
  const text = page.getByLabel("The record as JSON");
  const before = await text.inputValue();
  await text.fill(before.replace('"roaming": null', '"roaming": {"visitedNetwork": }'));
  await page.getByLabel("Reason").fill("it roams");
  await page.getByRole("button", { name: "Save the correction" }).click();
  await page
    .getByRole("alert")
    .getByText(/In line 18, column/)
    .waitFor();
  await text.fill(before.replace('"roaming": null', '"roaming": {"visitedNetwork": "24007"}'));
  await page.getByRole("button", { name: "Save the correction" }).click();
  await page.getByText("open, corrected").waitFor();
  expect(await page.getByLabel("details.roaming.visitedNetwork").inputValue()).toBe("24007");
  await done(page);
});

it("the most frequent values in a reason lead to their records", async () => {
  const page = await open("/suspense", { user: "otto" });
  const reasons = page.getByRole("table", { name: "Reasons" });
  await reasons.getByText("offset: 96 (1), 14 (2)").waitFor();
  await reasons.getByRole("link", { name: "14", exact: true }).click();
  await page.getByRole("button", { name: "Retry all 2 records…" }).waitFor();
  expect(await page.getByLabel("Value in the reason").inputValue()).toBe("14");
  const records = page.getByRole("table", { name: "Records in suspense" });
  expect(await records.getByText("the length at octet 14 goes beyond the record").count()).toBe(2);
  await page.getByRole("link", { name: "Show all" }).click();
  await reasons.getByText("offset: 96 (1), 14 (2)").waitFor();
  await done(page);
});

it("the codes of reasons are shown, and every filter is, with a button that removes it", async () => {
  for (const width of [1280, 390]) {
    const page = await open("/suspense", { user: "otto", width });
    const reasons = page.getByRole("table", { name: "Reasons" });
    await reasons.getByText("script-assertion", { exact: true }).waitFor();
    const filters = page.getByRole("list", { name: "Active filters" });
    expect(await filters.count()).toBe(0);
    await reasons.getByRole("link", { name: "the length at octet {offset} goes beyond the record" }).click();
    await page.getByRole("button", { name: "Discard all 3 records…" }).waitFor();
    expect(await page.getByLabel("Code", { exact: true }).inputValue()).toBe("ber-longer-than-parent");
    expect(await filters.locator(".chip > span").allInnerTexts()).toEqual([
      "Network element: msc-boston",
      "Code: ber-longer-than-parent",
      "Reason: the length at octet {offset} goes beyond the record",
      "Node: could not be read",
    ]);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    // One filter after the other. The focus stays among them.
    await filters.getByRole("button", { name: "Remove the filter Code" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).search).toBe("?network_element=msc-boston&unread=true");
    await filters.getByRole("button", { name: "Remove the filter Node" }).click();
    await page.getByRole("button", { name: "Discard all 22 records…" }).waitFor();
    await filters.getByRole("button", { name: "Remove the filter Network element" }).click();
    await page.getByRole("button", { name: "Discard all 28 records…" }).waitFor();
    expect(await filters.count()).toBe(0);
    await done(page);
  }
});

it("another code is another reason, and a node has no records that could not be read", async () => {
  const page = await open("/suspense?code=script-absent&template=no+such&unread=true", { user: "otto" });
  await page.getByText("No such record").waitFor();
  await page.getByLabel("Code", { exact: true }).fill("script-assertion");
  await page.getByLabel("Node", { exact: true }).selectOption("roaming-v8");
  await page.getByRole("button", { name: "Retry all 19 records…" }).waitFor();
  expect(new URL(page.url()).search).toBe("?code=script-assertion&node=roaming-v8");
  await done(page);
});

it("the fields and choices of a filter bar are aligned", async () => {
  const page = await open("/suspense");
  const fields = page.locator(".filters :is(input, select)");
  await fields.first().waitFor();
  const heights = await fields.evaluateAll((fields) => fields.map((field) => field.getBoundingClientRect().height));
  expect(new Set(heights).size).toBe(1);
  await done(page);
});

it("records of one reason are retried together, and others discarded with a reason", async () => {
  const page = await open("/suspense", { user: "otto" });
  await page
    .getByRole("table", { name: "Reasons" })
    .getByRole("link", { name: /the assertion is not fulfilled/ })
    .click();
  await page.getByRole("button", { name: "Retry all 19 records…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
  await page.getByText("19 records retried: 19 delivered.").waitFor();
  await page.getByRole("link", { name: "Show all" }).click();
  await page.getByRole("link", { name: "the length at octet {offset} goes beyond the record" }).click();
  await page.getByRole("button", { name: "Discard all 3 records…" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("button", { name: "Discard" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Reason").fill("damaged on the way");
  await dialog.getByRole("button", { name: "Discard" }).click();
  await page.getByText("3 records discarded.").waitFor();
  await page.getByLabel("State").selectOption("discarded");
  await page
    .getByRole("row", { name: /could not be read/ })
    .first()
    .waitFor();
  await openAreas(page);
  await page.getByRole("link", { name: "Trail" }).click();
  await page
    .getByRole("row", { name: /suspense discard/ })
    .getByText("damaged on the way")
    .waitFor();
  await done(page);
});

it("the retry of records that still wait is taken back: of one, and of all that fit", async () => {
  for (const width of [1280, 390]) {
    const page = await open("/suspense?node=home-v5", { user: "otto", width });
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Retry all 6 records…" }).click();
    await dialog.getByRole("button", { name: "Retry" }).click();
    await page.getByText("6 records retried: 6 still wait.").waitFor();
    await page.getByRole("button", { name: "Take back the retry of all 6 records…" }).waitFor();
    expect(await isTooWide(page)).toBe(false);
    // One record.
    await page.getByRole("table", { name: "Records in suspense" }).getByRole("link", { name: /^\d+$/ }).first().click();
    await page.getByText("open, to be retried").waitFor();
    await page.getByRole("button", { name: "Take back the retry…" }).click();
    expect(await barriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Take back" }).click();
    await page.getByText("1 record no longer to be retried.").waitFor();
    await page.getByRole("button", { name: "Take back the retry…" }).waitFor({ state: "detached" });
    // All records that match.
    await page.goBack();
    await page.getByRole("button", { name: "Take back the retry of all 6 records…" }).click();
    await dialog.getByRole("button", { name: "Take back" }).click();
    await page.getByText("5 records no longer to be retried.").waitFor();
    await page.getByRole("button", { name: /^Take back/ }).waitFor({ state: "detached" });
    await page.goto("/trail");
    await page
      .getByRole("row", { name: /suspense retry --take-back/ })
      .first()
      .waitFor();
    await done(page);
  }
});

it("records that were discarded are opened again: all that fit, some, or one", async () => {
  for (const width of [1280, 390]) {
    const page = await open("/suspense", { user: "otto", width });
    await page.getByLabel("State").selectOption("discarded");
    await page.getByText("Nothing was discarded").waitFor();
    await page.getByLabel("State").selectOption("");
    await page.getByRole("button", { name: /^Discard all \d+ records…/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("in a hurry");
    await dialog.getByRole("button", { name: "Discard" }).click();
    await page.getByText("Nothing is in suspense").waitFor();
    await page.getByLabel("State").selectOption("discarded");
    // Some records.
    await page.getByRole("checkbox", { name: "Choose record 928", exact: true }).click();
    await page.getByRole("checkbox", { name: "Choose record 927", exact: true }).click();
    await page.getByRole("button", { name: "Open 2 records again…" }).click();
    expect(await dialog.getByRole("button", { name: "Open again" }).isDisabled()).toBe(true);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await dialog.getByLabel("Reason").fill("the subscriber called");
    await page.keyboard.press("Enter");
    await page.getByText("2 records opened again.").waitFor();
    // All records that match.
    await page.getByLabel("Node").selectOption("roaming-v8");
    await page.getByRole("button", { name: "Open all 19 records again…" }).click();
    await dialog.getByLabel("Reason").fill("a mistake");
    await page.keyboard.press("Enter");
    await page.getByText("No such record").waitFor();
    // One record.
    await page.getByLabel("Node").selectOption("");
    await page.getByRole("table", { name: "Records in suspense" }).getByRole("link", { name: /^\d+$/ }).first().click();
    await page.getByRole("button", { name: "Open again…" }).click();
    await dialog.getByLabel("Reason").fill("it is a record after all");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Retry…" }).waitFor();
    await page.goto("/trail");
    await page.getByText("the subscriber called").waitFor();
    await done(page);
  }
});

it("chosen records alone are retried", async () => {
  const page = await open("/suspense", { user: "otto" });
  await page.getByRole("checkbox", { name: "Choose record 928", exact: true }).click();
  await page.getByRole("checkbox", { name: "Choose record 927", exact: true }).click();
  await page.getByRole("button", { name: "Retry 2 records…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
  await page.getByText("2 records retried: 2 in suspense again.").waitFor();
  await done(page);
});

it("what was chosen is meant only as long as it is shown, and a reason's link asks for the file still", async () => {
  const page = await open("/suspense", { user: "otto" });
  await page.getByRole("checkbox", { name: "Choose record 928", exact: true }).click();
  await page.getByRole("checkbox", { name: "Choose record 927", exact: true }).click();
  await page.getByRole("button", { name: "Discard 2 records…" }).waitFor();
  await page.getByLabel("Node").selectOption("roaming-v8");
  await page.getByRole("button", { name: "Discard all 19 records…" }).waitFor();
  await page.getByLabel("Node").selectOption("");
  await page.getByRole("button", { name: "Discard 2 records…" }).waitFor();
  const records = page.getByRole("table", { name: "Records in suspense" });
  const file = await records.locator("span.fixed").first().innerText();
  await page.getByLabel("File").fill(file);
  await page.waitForURL(/file=/);
  const reasons = page.getByRole("table", { name: "Reasons" }).getByRole("row").getByRole("link");
  await reasons.first().click();
  await page.waitForURL(/code=/);
  expect(new URL(page.url()).searchParams.get("file")).toBe(file);
  await done(page);
});

it("all of what became of a file is seen at 1280 pixels, by who may choose files too", async () => {
  const page = await open("/files");
  await page.getByRole("link", { name: "boston-10432.ber", exact: true }).waitFor();
  const frame = page.locator(".table-frame").filter({ has: page.getByRole("table", { name: "Files", exact: true }) });
  expect(await frame.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
  await done(page);
});

it("files come a page at a time, and lead to their trace", async () => {
  const page = await open("/files");
  await page.getByRole("link", { name: "boston-10432.ber", exact: true }).waitFor();
  const rows = page.getByRole("table", { name: "Files", exact: true }).getByRole("row");
  expect(await rows.count()).toBe(51);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => rows.count()).toBe(101);
  await page.getByLabel("Name").fill("ny-8829");
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole("link", { name: "Trace the records of ny-8829.ber" }).click();
  await page.getByText("passed isRoaming, as false").waitFor();
  await page.getByRole("link", { name: "The next record" }).click();
  await page.getByRole("heading", { name: "ny-8829.ber, record 2" }).waitFor();
  await done(page);
});

it("files that were processed may come again, for a reason", async () => {
  for (const width of [1280, 390]) {
    const page = await open("/files", { user: "otto", width });
    await page.getByRole("checkbox", { name: "Choose boston-10432.ber" }).click();
    await page.getByRole("checkbox", { name: "Choose ny-8829.ber" }).click();
    await page.getByRole("button", { name: "Let 2 files come again…" }).click();
    const dialog = page.getByRole("dialog", { name: "May 2 files come again?" });
    await dialog.getByText("boston-10432.ber").waitFor();
    expect(await dialog.getByRole("button", { name: "They may" }).isDisabled()).toBe(true);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await dialog.getByLabel("Reason").fill("counted");
    await page.keyboard.press("Enter");
    await dialog.getByText(/"rated" keeps counters of subscribers/).waitFor();
    await dialog.getByLabel("Even where counters of subscribers count it once more").click();
    await dialog.getByRole("button", { name: "They may" }).click();
    await page.getByText("2 files may come again.").waitFor();
    await expect.poll(() => page.getByText("may come again", { exact: true }).count()).toBe(2);
    expect(await page.getByRole("button", { name: "Let come again…" }).isDisabled()).toBe(true);
    await done(page);
  }
  const page = await open("/files", { user: "vera" });
  await page.getByRole("link", { name: "boston-10432.ber", exact: true }).waitFor();
  expect(await page.getByRole("button", { name: /come again/ }).count()).toBe(0);
  expect(await page.getByRole("checkbox").count()).toBe(0);
  await done(page);
});

it("a question about records stays the same when another user discards them", async () => {
  const page = await open("/suspense?live=true", { user: "otto" });
  await page.getByRole("checkbox", { name: "Choose record 928", exact: true }).click();
  await page.getByRole("button", { name: "Discard 1 record…" }).click();
  const dialog = page.getByRole("dialog", { name: "Discard 1 record?" });
  await dialog.getByLabel(/Reason/).fill("a test call");
  const session = await (await page.request.get("/api/session")).json();
  await page.request.post("/api/suspense/discard", {
    headers: { "X-CSRF-Token": session.csrf },
    data: { ids: [928], because: "no call at all" },
  });
  await page
    .getByRole("checkbox", { name: "Choose record 928", exact: true, includeHidden: true })
    .waitFor({ state: "detached" });
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.url().endsWith("/api/suspense/discard")),
    dialog.getByRole("button", { name: "Discard" }).click(),
  ]);
  expect(request.postDataJSON().ids).toEqual([928]);
  await done(page);
});

it("what was given up is delivered again", async () => {
  const page = await open("/deliveries", { user: "otto" });
  await page.getByLabel("State").selectOption("given-up");
  await page.getByRole("checkbox", { name: "Choose msc-new-york-ny-8801.ber" }).click();
  await page.getByRole("button", { name: "Retry 1 file" }).click();
  await page.getByText("1 file will be delivered again.").waitFor();
  await page.getByText("No such delivery").waitFor();
  await done(page);
});

it("only what was given up is chosen to be delivered again, and the gateway says how much is", async () => {
  for (const width of [1280, 390]) {
    const page = await open("/deliveries?state=all", { user: "otto", width });
    await page.getByRole("link", { name: "msc-boston-boston-10432.ber" }).waitFor();
    expect(await page.getByRole("checkbox", { name: /^Choose msc-/ }).count()).toBe(1);
    expect(await barriers(page)).toEqual([]);
    if (width > 390) await page.getByRole("checkbox", { name: "Choose all that are shown" }).click();
    else await page.getByRole("checkbox", { name: "Choose msc-new-york-ny-8801.ber" }).click();
    // Another user has retried it meanwhile.
    await page.route("**/api/deliveries/retry", (route) => route.fulfill({ json: { files: 0 } }));
    await page.getByRole("button", { name: "Retry 1 file" }).click();
    await page.getByText("They were retried or discarded already.").waitFor();
    await done(page);
  }
});

it("what was given up and nobody wants any more is discarded for a reason", async () => {
  const page = await open("/deliveries", { user: "otto" });
  const discard = page.getByRole("button", { name: "Discard…" });
  await page.getByRole("link", { name: "msc-boston-boston-10432.ber" }).waitFor();
  expect(await discard.isDisabled()).toBe(true);
  await page.getByRole("checkbox", { name: "Choose msc-new-york-ny-8801.ber" }).click();
  await discard.click();
  const dialog = page.getByRole("dialog", { name: "Discard 1 file?" });
  await dialog.getByLabel("Reason").fill("sent by hand");
  expect(await barriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Discard" }).click();
  await page.getByText("1 file discarded.").waitFor();
  await page.getByLabel("State").selectOption("discarded");
  await page.getByRole("link", { name: "msc-new-york-ny-8801.ber" }).waitFor();
  await done(page);
});

it("a script is changed, told that it is wrong, mended and activated", async () => {
  const page = await open("/scripts?file=scripts/is_roaming.dup", { user: "otto" });
  const editor = page.getByRole("textbox", { name: "Text of scripts/is_roaming.dup" });
  await editor.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("mistake ");
  const check = page.getByRole("status", { name: "Check of the script" });
  await check.getByText('There is no variable "mistake"').waitFor();
  await page.locator(".cm-lintRange-error").waitFor();
  expect(await barriers(page)).toEqual([]);
  // The text is still there after the user leaves the page and comes back.
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Alarms" }).click();
  await page.getByRole("heading", { level: 1, name: "Alarms" }).waitFor();
  await openAreas(page);
  await page.getByRole("link", { name: "Scripts" }).click();
  await page.getByRole("link", { name: /is_roaming/ }).click();
  await check.getByText('There is no variable "mistake"').waitFor();
  await page.getByRole("button", { name: "Save and activate…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("It has a mistake: it becomes active when there is none.").waitFor();
  await dialog.getByLabel("Remark").fill("in a hurry");
  await dialog.getByRole("button", { name: "Save and activate" }).click();
  await dialog.getByText("scripts/is_roaming.dup was not taken: the flow that runs goes on.").waitFor();
  // The lines and columns stay, so that the mark is below the word that it marks.
  const lines = dialog.getByRole("alert").locator("pre");
  expect((await lines.innerText()).split("\n")[2]).toBe("      | ^^^^^^^ declare it first");
  expect(await lines.evaluate((each) => getComputedStyle(each).fontFamily)).toContain("mono");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await check.getByRole("button", { name: "Line 1, column 1" }).click();
  await page.keyboard.type("-- no ");
  await page.keyboard.press("Control+Home");
  for (let letter = 0; letter < "-- no mistake ".length; letter += 1) await page.keyboard.press("Delete");
  await page.keyboard.type("-- Mended. ");
  await check.getByText("No mistakes.").waitFor();
  await page.getByRole("button", { name: "Save and activate…" }).click();
  await dialog.getByLabel("Remark").fill("mended");
  await dialog.getByRole("button", { name: "Save and activate" }).click();
  await page.getByText("scripts/is_roaming.dup is active; changed: scripts/is_roaming.dup.").waitFor();
  await done(page);
});

it("what is typed fast stays as it is typed", async () => {
  const page = await open("/scripts?file=scripts/is_roaming.dup", { user: "otto" });
  const editor = page.getByRole("textbox", { name: "Text of scripts/is_roaming.dup" });
  await editor.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("-- ");
  // Each digit is a task of its own, between the tasks that render the page.
  await page.evaluate(async () => {
    const { port1, port2 } = new MessageChannel();
    for (let digit = 0; digit < 300; digit += 1) {
      document.execCommand("insertText", false, String(digit % 10));
      await new Promise((next) => {
        port1.onmessage = next;
        port2.postMessage(null);
      });
    }
  });
  await editor.getByText(`-- ${"0123456789".repeat(30)}`).waitFor();
  await done(page);
});

it("what is typed over a selection takes its place, and is taken back at once", async () => {
  const page = await open("/scripts?file=scripts/is_roaming.dup", { user: "otto" });
  const editor = page.getByRole("textbox", { name: "Text of scripts/is_roaming.dup" });
  await editor.click();
  const before = await editor.innerText();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("return");
  expect(await editor.innerText()).toBe("return");
  await page.keyboard.press("Control+z");
  expect(await editor.innerText()).toBe(before);
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("one\ntwo");
  await editor.getByText("two").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Enter");
  await page.keyboard.type("z");
  await expect.poll(() => editor.innerText()).toMatch(/^\s*z$/);
  await done(page);
});

/** Opens the example's filter in the editor, with the cursor at its beginning. */
async function edited(user: "otto" | "vera") {
  const page = await open("/scripts?file=scripts/is_roaming.dup", { user });
  const editor = page.getByRole("textbox", { name: "Text of scripts/is_roaming.dup" });
  await editor.click();
  await page.keyboard.press("Control+Home");
  return { page, editor, hover: page.locator(".cm-tooltip-hover") };
}

it("who writes a script is shown what can be written, and what a name is", async () => {
  const { page, editor, hover } = await edited("otto");
  await page.keyboard.type("cdr.rec");
  const completions = page.getByRole("listbox", { name: "Completions" });
  await completions.getByRole("option", { name: "recordType" }).waitFor();
  expect(await completions.getByRole("option").count()).toBe(1);
  await completions.getByText("recordType RecordType").waitFor();
  await completions.getByRole("option", { name: "recordType" }).click();
  await editor.getByText(/^cdr\.recordType-- A/).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Control+i");
  await hover.getByRole("link", { name: "msc.asn1:3" }).waitFor();
  await page.keyboard.type(" ");
  await hover.waitFor({ state: "detached" });
  await editor.getByText("isRoaming").hover();
  await hover.getByText("BOOLEAN isRoaming(cdr CONST CallDataRecord)").waitFor();
  expect(await barriers(page)).toEqual([]);
  await done(page);
});

it("an explanation has text, and no links but those to modules", async () => {
  const { page, editor, hover } = await edited("vera");
  await editor.getByText("isRoaming").hover();
  await hover.getByText("BOOLEAN isRoaming(cdr CONST CallDataRecord)").waitFor();
  await hover.getByText("Big").waitFor();
  await hover.getByText("leave").waitFor();
  expect(await hover.locator("h1, a[href]").count()).toBe(0);
  await done(page);
});

it("a name leads to its definition in a module, by a key and by the link of its explanation", async () => {
  const { page, editor, hover } = await edited("otto");
  await page.keyboard.type("cdr.recordType");
  await page.keyboard.press("F12");
  const module = page.getByRole("region", { name: "Module asn1/msc.asn1" });
  const line = module.locator(".cm-activeLine");
  await line.getByText("recordType [0] RecordType,").waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Control+Home");
  await line.getByText("MSC DEFINITIONS").waitFor();
  await editor.click();
  await page.keyboard.press("Control+Home");
  for (let letter = 0; letter < "cdr.re".length; letter += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Control+i");
  await hover.getByRole("link", { name: "msc.asn1:3" }).click();
  await line.getByText("recordType [0] RecordType,").waitFor();
  await module.getByRole("button", { name: "Close the module" }).click();
  await module.waitFor({ state: "detached" });
  await done(page);
});

it("a name is renamed where it is used, its uses are listed, and the text is formatted", async () => {
  const { page, editor } = await edited("otto");
  const before = await editor.innerText();
  const count = before.split("isRoaming").length - 1;
  await editor.getByText("isRoaming").first().click();
  await page.keyboard.press("Shift+F12");
  const list = page.getByRole("listbox", { name: "Reference list" });
  await expect.poll(() => list.getByRole("option").count()).toBe(count);
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("F2");
  await page.getByLabel("New name").fill("isAbroad");
  await page.keyboard.press("Enter");
  await expect.poll(() => editor.innerText()).toBe(before.replaceAll("isRoaming", "isAbroad"));
  await editor.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("    ");
  await page.keyboard.press("Shift+Alt+F");
  await expect.poll(() => editor.innerText()).toBe(before.replaceAll("isRoaming", "isAbroad"));
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("cdr.recordType");
  await page.keyboard.press("F2");
  await page.getByLabel("New name").fill("sort");
  await page.keyboard.press("Enter");
  await page.getByText(/Rename request failed/).waitFor();
  await done(page);
});

it("a viewer reads explanations and definitions, and is offered no change", async () => {
  const { page, editor } = await edited("vera");
  await editor.getByText("isRoaming").first().click();
  await page.keyboard.press("F2");
  await page.keyboard.press("Shift+F12");
  await page.getByRole("listbox", { name: "Reference list" }).waitFor();
  expect(await page.getByLabel("New name").count()).toBe(0);
  await done(page);
});

it("the tests of a script run as it is edited, and say what they do not run", async () => {
  const page = await open("/scripts?file=scripts/is_billable.dup", { user: "otto" });
  const tests = page.getByRole("region", { name: "Tests of the script" });
  await tests.getByRole("button", { name: "Run the tests" }).click();
  await tests.getByText("1 of 1 test passed").waitFor();
  await page.getByRole("textbox", { name: "Text of scripts/is_billable.dup" }).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type('test "wrong" {} -- never ');
  await tests.getByText("The script was changed since they ran.").waitFor();
  await tests.getByRole("button", { name: "Run the tests" }).click();
  await tests.getByText("1 of 2 tests passed").waitFor();
  await tests.getByText("it is wrong").waitFor();
  await tests.getByText(/^No test runs: Line 1/).waitFor();
  expect(await barriers(page)).toEqual([]);
  await done(page);
});

it("a script that is edited runs on records, and what becomes of them stands beside what did", async () => {
  for (const width of [1280, 390]) {
    const page = await open("/scripts?file=scripts/is_roaming.dup", { user: "otto", width });
    const samples = page.getByRole("region", { name: "Records through the script" });
    const found = samples.getByRole("status", { name: "What becomes of records" });
    const run = samples.getByRole("button", { name: "Run on records" });
    await run.click();
    await found
      .getByText("2 records. The script runs as it stands here. The script takes, as edited 23.4 ns")
      .waitFor();
    const editor = page.getByRole("textbox", { name: "Text of scripts/is_roaming.dup" });
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("BOOLEAN isRoaming(cdr CONST CallDataRecord) { return cdr.recordType == 0; }");
    await found.getByText("The script was changed since it ran.").waitFor();
    await run.click();
    await found.getByText("Something else becomes of 2 of them.").waitFor();
    await found.getByText("as it runs 120 ns a record").waitFor();
    await found.getByText("true → ").waitFor();
    expect(await found.locator("details[open]").count()).toBe(1);
    await found.getByText("msc-boston, boston-10432.ber, record 2").click();
    // No digit of a large number is lost.
    await found.getByRole("table", { name: "Record 2 of" }).getByText("9007199254740993").first().waitFor();
    // A filter makes no records.
    expect(await found.getByRole("columnheader", { name: "Made, as edited" }).count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await samples.getByLabel("From").selectOption("suspense");
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("BOOLEAN isRoaming(cdr CONST CallDataRecord) { assert FALSE; }");
    await run.click();
    await found.getByText("(suspense 919)").waitFor();
    await found.getByText("assert FALSE does not hold").first().waitFor();
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("retrun");
    await run.click();
    await samples.getByRole("alert").getByText('no function is named "retrun"').waitFor();
    await done(page);
  }
});

it("what a formatter makes stands beside what came, and what is new is marked", async () => {
  const page = await open("/scripts?file=scripts/roaming_v8.dup", { user: "otto" });
  const editor = page.getByRole("textbox", { name: "Text of scripts/roaming_v8.dup" });
  await editor.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("NULL roamingV8(in CONST CallDataRecord, out RoamingRecord) { out.version := 9; }");
  const samples = page.getByRole("region", { name: "Records through the script" });
  await samples.getByRole("button", { name: "Run on records" }).click();
  const version = samples.getByRole("row", { name: /^version/ }).first();
  await expect.poll(() => version.getByRole("cell").allInnerTexts()).toEqual(["version", "–", "8", "9"]);
  expect(await version.locator("mark").innerText()).toBe("9");
  await done(page);
});

it("the figures on top move on every page, and lead to what they are of", async () => {
  const page = await open("/trail");
  const standing = page.getByRole("region", { name: "How the gateway stands" });
  const records = standing.getByRole("link", { name: /^Records/ });
  await expect.poll(() => records.innerText()).toMatch(/k\/s/);
  await standing.getByRole("link", { name: /In suspense/ }).click();
  await page.getByRole("heading", { level: 1, name: "Suspense" }).waitFor();
  await done(page);
});

it("a gateway that is out of reach is told of, and its figures are not taken for those of now", async () => {
  const page = await open("/trail");
  const standing = page.getByRole("region", { name: "How the gateway stands" });
  await standing.getByText("Live", { exact: true }).waitFor();
  // The title changes with the first figures, which come after the connection.
  await expect.poll(() => page.title()).toBe("(2) Trail · Admin · Tollgate");
  await fetch(`${address()}/fake/silent?is=true`);
  await standing.getByText("No connection").waitFor();
  await fetch(`${address()}/fake/silent?is=false`);
  await standing.getByText("Live", { exact: true }).waitFor();
  await done(page);
});

it("what changed while the gateway was out of reach is shown when it is in reach again", async () => {
  const page = await open("/alarms", { user: "otto" });
  const standing = page.getByRole("region", { name: "How the gateway stands" });
  const missing = /3 files are missing/;
  await page.getByRole("row", { name: missing }).getByText("not acknowledged").waitFor();
  await standing.getByText("Live", { exact: true }).waitFor();
  await fetch(`${address()}/fake/silent?is=true`);
  await standing.getByText("No connection").waitFor();
  const other = await page.context().newPage();
  await other.goto("/alarms");
  await other.getByRole("checkbox", { name: missing }).click();
  await other.getByRole("button", { name: "Acknowledge…" }).click();
  await other.getByRole("dialog").getByLabel("Remark").fill("Known");
  await other.getByRole("dialog").getByRole("button", { name: "Acknowledge" }).click();
  await other.getByRole("row", { name: missing }).getByText("Known").waitFor();
  expect(await page.getByText("Known").count()).toBe(0);
  await fetch(`${address()}/fake/silent?is=false`);
  await page.getByRole("row", { name: missing }).getByText("Known").waitFor();
  await done(page);
});

it("a page whose files are not there any more says so, and the others go on", async () => {
  const page = await open("/trail");
  await page.route("**/assets/throughput-page-*.js", (route) => route.abort());
  await page.getByRole("link", { name: "Throughput" }).click();
  await page.getByRole("alert").getByText("This page cannot be shown.").waitFor();
  await page.getByRole("link", { name: "Files" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Files" }).waitFor();
  // The browser reports the file that was not loaded, which is expected here.
  page.removeAllListeners("close");
  await done(page);
});

it("how many threads work for whom is shown, and why", async () => {
  const page = await open("/throughput");
  const groups = page.getByRole("table", { name: "Groups" });
  await groups.getByRole("row", { name: /capital msc-new-york 2 processes of 1 of its own/ }).waitFor();
  await groups.getByRole("row", { name: /in none msc-boston the common 5, priority 0, weight 1/ }).waitFor();
  const receivers = page.getByRole("table", { name: "Receivers" });
  await receivers.getByRole("row", { name: /billing home-billing 2 of its own/ }).waitFor();
  await receivers
    .getByRole("row", { name: /in none roaming-billing, statistics the common 3, priority 0, weight 1/ })
    .waitFor();
  const decisions = page.getByRole("table", { name: "Decisions" }).getByRole("row");
  await decisions.nth(1).getByText("files are processed by 5 threads now").waitFor();
  await decisions.nth(2).getByText("as many as processors, to begin with").waitFor();
  expect(await barriers(page)).toEqual([]);
  await done(page);
});

it("plots are drawn, and told in words", async () => {
  const page = await open("/throughput");
  await page.getByRole("img", { name: /Records a second: now .*, mean .*, most / }).waitFor();
  expect(await page.locator("canvas").count()).toBe(4);
  for (const [range, minutes] of [
    ["15 minutes", 15],
    ["a day", 1_440],
    ["a month", 43_200],
  ] as const) {
    const answered = page.waitForResponse(/\/api\/history/);
    await page.getByLabel("Range").selectOption(range);
    expect(new URL((await answered).url()).search).toBe(`?minutes=${minutes}`);
    await expect.poll(() => new URL(page.url()).search).toBe(`?minutes=${minutes}`);
  }
  // The address is what another user would open.
  await page.reload();
  await page.getByRole("img", { name: /Records a second: last .*, mean .*, most / }).waitFor();
  expect(await page.getByLabel("Range").inputValue()).toBe("43200");
  expect(await barriers(page)).toEqual([]);
  await page.getByLabel("Range").selectOption("an hour");
  await expect.poll(() => new URL(page.url()).search).toBe("");
  await page.goto("/throughput?minutes=nonsense");
  await page.getByRole("img", { name: /Records a second: now/ }).waitFor();
  expect(await page.getByLabel("Range").inputValue()).toBe("60");
  await done(page);
});

it("where there is little room it is still seen that times are UTC, once", async () => {
  for (const [width, place] of [
    [390, ".standing-zone"],
    [1280, ".standard-spare"],
  ] as const) {
    const page = await open("/files", { width });
    const standing = page.getByRole("region", { name: "How the gateway stands" });
    const zone = standing.locator(place).filter({ hasText: /^UTC\s*\d\d:\d\d:\d\d$/ });
    await zone.waitFor();
    expect(await standing.getByText("UTC").filter({ visible: true }).count(), `${width}`).toBe(1);
    const box = (await zone.boundingBox())!;
    expect(box.x + box.width, `${width}`).toBeLessThanOrEqual(width);
    const brand = await page.getByRole("link", { name: "Tollgate" }).first().boundingBox();
    if (width === 390) expect(box.x).toBeGreaterThan(brand!.x + brand!.width);
    await done(page);
  }
});
