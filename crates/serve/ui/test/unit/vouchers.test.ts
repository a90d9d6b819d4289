/** Vouchers in words and numbers, and the books as a file. */
import { describe, expect, it } from "vitest";

import { HEAD, linesOf, pagesOf } from "../../src/accounts/entries";
import { rangeOf } from "../../src/accounts/voucher-dialogs";
import {
  changedInWords,
  isOfBatch,
  plainPin,
  printed,
  stateOf,
  usedInWords,
  vouchersOf,
  wholeNumber,
} from "../../src/accounts/vouchers";
import type { ExportedEntry } from "../../src/api/types";

describe("a serial number", () => {
  it("keeps all its digits", () => {
    expect(wholeNumber(" 18446744073709551615 ")).toBe(18446744073709551615n);
    expect(wholeNumber("30 064 771 072")).toBe(30064771072n);
    expect(["", "-1", "1.5", "7a"].map(wholeNumber)).toEqual([null, null, null, null]);
  });
  it("begins with its batch", () => {
    expect(isOfBatch(30064771072n, 7)).toBe(true);
    expect(isOfBatch(34359738367n, 7)).toBe(true);
    expect(isOfBatch(34359738368n, 7)).toBe(false);
    expect(isOfBatch(18446744073709551615n, 4294967295)).toBe(true);
  });
});

describe("the vouchers that are blocked", () => {
  it("are all of a batch, or those within bounds", () => {
    expect(rangeOf(7, "", " ")).toEqual({});
    expect(rangeOf(7, "30064771072", "")).toEqual({ first: 30064771072n });
    expect(rangeOf(7, "30064771072", "30064771081")).toEqual({ first: 30064771072n, last: 30064771081n });
  });
  it("are not those of another batch, as a number with a typing error would have it", () => {
    expect(() => rangeOf(8, "30064771072", "")).toThrow("The serial number 30064771072 is not one of batch 8.");
    expect(() => rangeOf(7, "30064771081", "30064771072")).toThrow("The first serial number is behind the last.");
    expect(() => rangeOf(7, "first", "")).toThrow('"first" is no serial number');
  });
});

describe("vouchers in words", () => {
  it("say how many have changed", () => {
    expect(changedInWords(1000, 7, "activated")).toBe("1,000 vouchers of batch 7 are activated.");
    expect(changedInWords(1, 7, "blocked")).toBe("1 voucher of batch 7 is blocked.");
    expect(changedInWords(0, 7, "blocked")).toContain("Nothing is changed");
    expect(vouchersOf(1, 7)).toBe("1 voucher of batch 7");
  });
  it("say what the account got", () => {
    const used = { account: 1, serial: 30064771072, amount: "100.00", currency: "SEK", bonuses: [], repeated: false };
    expect(usedInWords(used)).toBe("100.00 SEK refilled with voucher 30064771072.");
    expect(usedInWords({ ...used, repeated: true })).toContain("nothing is changed");
  });
  it("have a mark for each state, and for one that is not known", () => {
    expect(stateOf({ state: "active" }).mark).toBe("fine");
    expect(stateOf({ state: "sold" })).toEqual({ mark: "quiet", means: "" });
  });
});

describe("a PIN", () => {
  it("is typed as it is printed", () => expect(plainPin(" 1234 5678-9012 34")).toBe("12345678901234"));
  it("is printed with all its digits, beside its serial number", () => {
    const vouchers = [
      { serial: 30064771072, pin: "00345678901234" },
      { serial: 18446744073709551615n, pin: "12345678901234" },
    ];
    expect(printed(vouchers)).toBe(
      "serial,pin\r\n30064771072,00345678901234\r\n18446744073709551615,12345678901234\r\n",
    );
  });
});

const entryOf = (account: number, entry: number): ExportedEntry => ({
  account,
  entry,
  at: "2026-11-28T12:00:00Z",
  unit: "money",
  bucket: 0,
  amount: "-1.25",
  balance: "8.75",
  system: "revenue",
  remark: null,
  service: null,
  session: null,
  offer: null,
});

const pageOf = (entries: ExportedEntry[], last: { account: number; entry: number } | null = null) => ({
  entries,
  currency: "SEK",
  last,
});

describe("the entries of all accounts", () => {
  it("are lines of a file, whose negative amounts are numbers and whose texts are no formulas", () => {
    expect(HEAD.split(",")).toHaveLength(18);
    expect(linesOf(pageOf([entryOf(1, 2)]))).toBe(
      "1,2,2026-11-28T12:00:00Z,money,0,-1.25,8.75,revenue,SEK,,,,,,,,,\r\n",
    );
    const remark = {
      kind: "adjustment",
      who: "anna",
      because: "=1, twice",
      record: null,
      reverses: null,
      voucher: null,
    };
    expect(linesOf(pageOf([{ ...entryOf(1, 2), remark }]))).toContain(`,SEK,adjustment,anna,"'=1, twice",,`);
  });
  it("have the service that was charged, or the file and line of the record", () => {
    const service = { name: "voice", served: "46701", other: "46709" };
    expect(linesOf(pageOf([{ ...entryOf(1, 2), service, session: "ab" }]))).toContain(
      ",SEK,,,,,ab,voice,46701,46709,\r\n",
    );
    expect(linesOf(pageOf([{ ...entryOf(1, 2), offer: "data-1gb" }]))).toContain(",SEK,,,,,,,,,data-1gb\r\n");
    const record = { file: "rated.json", line: 7, number: "46701", service: "sms", start: "" };
    const remark = { kind: "record", record, reverses: null, voucher: null };
    expect(linesOf(pageOf([{ ...entryOf(1, 2), remark }]))).toContain(",SEK,record,,rated.json:7,,,sms,46701,,\r\n");
  });
  it("are asked for page by page, each behind the last one, also where a page has none in the period", async () => {
    const asked: unknown[] = [];
    const pages = [
      pageOf([entryOf(1, 1), entryOf(1, 2)], { account: 1, entry: 2 }),
      pageOf([], { account: 3, entry: 1 }),
      pageOf([]),
    ];
    const found: ExportedEntry[][] = [];
    const ask = async (after: unknown) => {
      asked.push(after);
      return pages[asked.length - 1]!;
    };
    for await (const page of pagesOf(ask)) found.push(page.entries);
    expect(found.flat()).toHaveLength(2);
    expect(asked).toEqual([
      { after_account: 0, after_entry: 0 },
      { after_account: 1, after_entry: 2 },
      { after_account: 3, after_entry: 1 },
    ]);
  });
});
