/** The reference of the API. */
import { expect, it } from "vitest";

import { barriers, done, isTooWide, open, useGateway } from "./gateway.ts";

useGateway();

it("what is code looks like it", async () => {
  const page = await open("/reference");
  await page.locator(".reference-lead code").first().waitFor();
  expect(await page.locator("main").innerText()).not.toContain("`");
  await done(page);
});

for (const width of [1280, 390]) {
  it(`an operation is found, opened, and has all that is needed to ask for it, at ${width} pixels`, async () => {
    const page = await open("/graph", { user: "vera", width });
    await page.goto("/reference");
    await page.getByLabel("Find").fill("suspense/discard");
    const operations = page.getByRole("region", { name: "Operations: suspense" });
    await operations.locator("summary", { hasText: "/api/suspense/discard" }).click();
    await operations.getByText("For operators and administrators.").waitFor();
    const example = operations.getByLabel("Example");
    expect(await example.innerText()).toContain(`curl -X POST '${new URL(page.url()).origin}/api/suspense/discard'`);
    expect(await operations.getByLabel("Takes").innerText()).toContain("because: string");
    expect(await operations.locator("details").count()).toBe(1);
    expect(await barriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.getByLabel("Find").fill("nothing of this name");
    await page.getByRole("heading", { name: /No operation has this/ }).waitFor();
    await done(page);
  });
}
