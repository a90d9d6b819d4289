import { describe, expect, it } from "vitest";

import type { FileRecords, RecordPart } from "../../src/api/types";
import { asked, elsewhere, recordsAddress } from "../../src/records/address";
import { inOrder, keyOf, partAt, pathTo, roleOf, valuesInWords, wayTo } from "../../src/records/parts";
import { fileRecords } from "../fake/file-records";
import { world } from "../fake/world";

const found = (query: string) => fileRecords(world("example"), new URLSearchParams(query)).body as FileRecords;
const [record] = found("network_element=msc-boston&file=boston-10432.ber").records;
const parts = record!.parts;

describe("a record that is taken apart", () => {
  it("has for every octet the innermost part that it is of", () => {
    for (const { part, path } of inOrder(parts).filter((each) => each.part.parts.length === 0)) {
      for (let octet = part.offset; octet < part.offset + part.length; octet += 1)
        expect(keyOf(pathTo(parts, octet))).toBe(keyOf(path));
    }
    expect(pathTo(parts, record!.length)).toEqual([]);
  });

  it("has names on the way to a part", () => {
    const cell = inOrder(parts).find((each) => each.part.name === "cell")!;
    expect(wayTo(parts, cell.path)).toBe("moCallRecord.location.cell");
    expect(wayTo(parts, [0])).toBe("MSC.CallDataRecord");
    expect(partAt(parts, cell.path)).toBe(cell.part);
    expect(partAt(parts, [0, 9])).toBeNull();
  });

  it("has its values in a line, each behind its names", () => {
    const cell = "moCallRecord.location.cell=4701";
    expect(valuesInWords(parts)).toBe(`moCallRecord.servedIMSI=240010234567891  moCallRecord.callDuration=17  ${cell}`);
  });

  it("tells a value's own octets from what stands around them", () => {
    const { part } = inOrder(parts).find((each) => each.part.name === "callDuration")!;
    const roles = [-1, 0, 1, 2, 3].map((step) => roleOf(part.offset + step, part));
    expect(roles).toEqual(["", "around", "around", "content", ""]);
    expect(roleOf(0, null)).toBe("");
  });

  it("says the same in its octets and in its parts", () => {
    const cell = inOrder(parts).find((each) => each.part.name === "cell")!.part;
    const octets = record!.octets.slice(2 * cell.content_offset, 2 * (cell.content_offset + cell.content_length));
    expect(Buffer.from(octets, "hex").toString()).toBe(cell.value);
  });
});

it("the address of a file goes on to another place of it, and back", () => {
  const address = recordsAddress({ job: 17, post_processing_system: "home" }, 3);
  expect(address).toBe("/records?job=17&post_processing_system=home&record=3");
  const query = new URLSearchParams("job=17&record=3&value=46701");
  expect(elsewhere(query, { record: "23", at: "23-900", value: "46701", field: "" })).toBe(
    "/records?job=17&record=23&at=23-900&value=46701",
  );
  expect(asked(query)).toEqual({ job: 17, record: 3, value: "46701" });
  expect(asked(new URLSearchParams("record=3"))).toBeNull();
});

it("names in an address are what they are", () => {
  const address = recordsAddress({ network_element: "msc", file: "a&b=c.ber" });
  expect(new URLSearchParams(address.split("?")[1]).get("file")).toBe("a&b=c.ber");
});

const flat = (all: RecordPart[]): string[] => all.flatMap((part) => [part.name, ...flat(part.parts)]);

it("the fake's damaged record shows what stands before the damage", () => {
  const damaged = found("network_element=msc-boston&file=boston-10432.ber&record=7").records[0]!;
  expect(damaged.problem).toContain("longer than what it lies in");
  expect(flat(damaged.parts)).toEqual(["MSC.CallDataRecord", "moCallRecord", "servedIMSI", "callDuration"]);
});
