/** Rows of a table as a file. */
import { describe, expect, it } from "vitest";

import { exported, fileName } from "../../src/parts/export";
import type { Column, Value } from "../../src/parts/table-model";

const COLUMNS: Column<Value[]>[] = [
  { name: "Network element", cell: () => null, value: (row) => row[0]! },
  { name: "Records", cell: () => null, value: (row) => row[1]! },
  { name: "What to do", cell: () => null },
];

const csv = (...rows: Value[][]) => exported("csv", COLUMNS, rows);

describe("CSV", () => {
  it("has the names of the columns that have values, and lines that end by CR LF", () =>
    expect(csv(["msc", 12])).toBe("Network element,Records\r\nmsc,12\r\n"));
  it("quotes what would end a field or a line", () =>
    expect(csv(['a,b "c"\n', 1], ["d\re", 2])).toBe('Network element,Records\r\n"a,b ""c""\n",1\r\n"d\re",2\r\n'));
  it("has nothing for nothing", () => expect(csv([null, null])).toBe("Network element,Records\r\n,\r\n"));
  for (const begin of ["=", "+", "-", "@", "\t", "\uFF1D"])
    it(`has no formula that begins with ${JSON.stringify(begin)}`, () =>
      expect(csv([`${begin}cmd|' /C calc'!A0`, 1])).toContain(`\r\n'${begin}cmd`));
  it("guards a formula within quotes", () => expect(csv(['=HYPERLINK("x")', 1])).toContain(`"'=HYPERLINK(""x"")"`));
  it("leaves negative numbers as they are", () => expect(csv(["msc", -12])).toContain("msc,-12"));
});

describe("JSON", () => {
  it("has the values, by identifiers that stay the same in an address", () =>
    expect(JSON.parse(exported("json", COLUMNS, [["=1", null]]))).toEqual([{ network_element: "=1", records: null }]));
  it("keeps the digits of large numbers", () =>
    expect(exported("json", COLUMNS, [["msc", 9007199254740993n]])).toContain('"records": "9007199254740993"'));
});

it("a file says what it has, and when", () =>
  expect(fileName("Records in suspense", "csv", new Date("2026-11-27T12:00:05.123Z"))).toBe(
    "tollgate-records-in-suspense-2026-11-27T120005Z.csv",
  ));
