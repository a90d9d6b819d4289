import { expect, it } from "vitest";

import { fileOf, uriOf } from "../../src/scripts/server-text.ts";

it("a file and its URI name the same", () => {
  for (const file of ["asn1/msc.asn1", "två ord/100%/a#b.asn1", "../shared/m.asn1", "/usr/share/m.asn1"]) {
    expect(fileOf(uriOf(file))).toBe(file);
  }
  expect(uriOf("två ord/a#b.asn1")).toBe("flow:tv%C3%A5%20ord/a%23b.asn1");
});
