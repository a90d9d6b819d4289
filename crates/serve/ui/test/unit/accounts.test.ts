/** Prepaid accounts: their names, amounts and entries in words, and what is read from files. */
import { describe, expect, it } from "vitest";

import { accountAddress, isAccountName, plainNumber } from "../../src/accounts/address";
import { compareAmounts, divided, exactly, inWords, typedOctets } from "../../src/accounts/amounts";
import { NO_TERMS, newBalanceOf } from "../../src/accounts/new-balance-fields";
import { newReference } from "../../src/accounts/reference";
import { mistakesInWords, subscribersIn } from "../../src/accounts/subscribers";
import { transferredInWords } from "../../src/accounts/transfer-dialog";
import {
  balanceName,
  isOrphan,
  isReversible,
  makerOf,
  movedInWords,
  purposeOf,
  reversalOf,
} from "../../src/accounts/words";
import type { ChargedUsage, HistoryEntry } from "../../src/api/types";

describe("the name of an account", () => {
  it("is a number without signs between its digits", () => {
    expect(plainNumber(" +46 70-123 45 67 ")).toBe("46701234567");
    expect(plainNumber("#17")).toBe("#17");
    expect(accountAddress("#17")).toBe("/accounts/%2317");
  });
  it("may be that of the account, or an address", () =>
    expect(["#17", "sip:anna@example.org", "467012"].map(isAccountName)).toEqual([true, true, true]));
  it("is no short number, and no word", () =>
    expect(["919", "", "boston-10432", "#", "sip:"].map(isAccountName)).toEqual(Array(5).fill(false)));
});

describe("an amount", () => {
  it("of money is the text of the API", () => {
    for (const text of ["0.10", "9007199254740993.01", "-12.50"])
      expect(inWords(text, "money", "SEK")).toBe(`${text} SEK`);
  });
  it("of octets is rounded for reading, and exact beside it", () => {
    expect(inWords("5000000000", "octets", "")).toBe("5.0 GB");
    expect(inWords("-1250000000", "octets", "")).toBe("-1.3 GB");
    expect(exactly("5000000000", "octets", "")).toBe("5,000,000,000 octets");
  });
  it("of seconds and events is exact", () => {
    expect(inWords("3600", "seconds", "")).toBe("3,600 seconds");
    expect(inWords("1", "events", "")).toBe("1 event");
  });
  it("is compared exactly", () => {
    const sorted = ["10.00", "-3.50", "9.99", "9007199254740993.02", "9007199254740993.01"].sort(compareAmounts);
    expect(sorted).toEqual(["-3.50", "9.99", "10.00", "9007199254740993.01", "9007199254740993.02"]);
  });
});

describe("octets that are typed", () => {
  for (const [typed, octets] of [
    ["5 GB", "5000000000"],
    ["1.5MB", "1500000"],
    ["2 tb", "2000000000000"],
    ["100", "100"],
    ["100 B", "100"],
    ["9007199254740993", "9007199254740993"],
  ] as const) {
    it(`${typed} are ${octets}`, () => expect(typedOctets(typed)).toBe(octets));
  }
  it("stay as they are if they are no whole number of octets", () =>
    expect(["1.5", "5 Gb/s", "many", "-5 GB", "0.0001 kB"].map(typedOctets)).toEqual([
      "1.5",
      "5 Gb/s",
      "many",
      "-5 GB",
      "0.0001 kB",
    ]));
});

describe("a balance", () => {
  it("is divided into what is available and what is reserved", () =>
    expect(divided({ given: null, amount: "100.00", reserved: "25.00", available: "75.00" })).toEqual({
      available: 75,
      reserved: 25,
      isOverdrawn: false,
    }));
  it("of a bundle has what is used as the rest of its bar", () =>
    expect(divided({ given: "400", amount: "100", reserved: "50", available: "50" })).toEqual({
      available: 12.5,
      reserved: 12.5,
      isOverdrawn: false,
    }));
  it("with a credit limit has more available than its amount", () =>
    expect(divided({ given: null, amount: "50.00", reserved: "0.00", available: "100.00" })).toMatchObject({
      available: 100,
    }));
  it("below zero is overdrawn", () =>
    expect(divided({ given: null, amount: "-13.00", reserved: "0.00", available: "0.00" })).toEqual({
      available: 0,
      reserved: 0,
      isOverdrawn: true,
    }));
  it("of nothing is empty", () =>
    expect(divided({ given: null, amount: "0.00", reserved: "0.00", available: "0.00" })).toMatchObject({
      available: 0,
    }));
  it("is named by what it pays for", () => {
    expect(balanceName({ bucket: 0, offer: null, services: [], classes: [] })).toBe("Main balance");
    expect(balanceName({ bucket: 2, offer: "week", services: ["sms"], classes: ["national"] })).toBe(
      "Balance 2 (week) for sms, national",
    );
    expect(balanceName({ bucket: 3, offer: null, services: [], classes: [] })).toBe("Balance 3");
  });
  it("that is new has the end that was typed, in UTC", () => {
    expect(newBalanceOf(NO_TERMS)).toEqual({ unit: "money", services: [], classes: [] });
    const scopes = { services: new Set(["data"]), classes: new Set(["national"]) };
    const terms = { unit: "octets", scopes, until: "2026-12-31T23:59" } as const;
    const made = { unit: "octets", services: ["data"], classes: ["national"], until: "2026-12-31T23:59:00Z" };
    expect(newBalanceOf(terms)).toEqual(made);
  });
});

const entry = (more: Partial<HistoryEntry>): HistoryEntry => ({
  entry: 1,
  bucket_offer: null,
  offer: null,
  at: "2026-11-28T12:00:00Z",
  amount: "-1.00",
  unit: "money",
  bucket: 0,
  balance: "9.00",
  system: "revenue",
  session: null,
  remark: null,
  charged: null,
  ...more,
});

describe("an entry", () => {
  const call = { service: "voice", other: "46709" } as ChargedUsage;
  const transfer = { kind: "transfer", who: "otto", accounts: [7, 8], record: null, reverses: null, voucher: null };
  it("says what it is for", () => {
    expect(purposeOf(entry({ charged: call, session: "ab" }))).toBe("voice to 46709");
    expect(purposeOf(entry({ charged: { ...call, service: "data", other: "" }, session: "ab" }))).toBe("data");
    expect(purposeOf(entry({ amount: "0.98", charged: call }))).toBe("refund of voice to 46709");
    const voucher = { serial: 30064771072, batch: 7 };
    expect(purposeOf(entry({ remark: { kind: "voucher", record: null, reverses: null, voucher } }))).toBe(
      "voucher 30064771072",
    );
    expect(purposeOf(entry({ system: "expired" }))).toBe("expired");
    expect(
      purposeOf(
        entry({
          system: "bonus",
          offer: "welcome",
          remark: { kind: "refill", record: null, reverses: null, voucher: null },
        }),
      ),
    ).toBe("bonus welcome");
    expect(purposeOf(entry({ remark: { kind: "import", record: null, reverses: null, voucher: null } }))).toBe(
      "import",
    );
    const record = { file: "rated.json", line: 7, number: "46701", service: "sms", other: "46709", start: "" };
    expect(purposeOf(entry({ remark: { kind: "record", record, reverses: null, voucher: null } }))).toBe(
      "sms to 46709",
    );
    const less = { ...record, service: "", other: "" };
    expect(purposeOf(entry({ remark: { kind: "record", record: less, reverses: null, voucher: null } }))).toBe(
      "record",
    );
    expect(purposeOf(entry({ system: "transfer", remark: transfer }))).toBe("transfer to account 8");
    expect(purposeOf(entry({ amount: "1.00", remark: transfer }))).toBe("transfer from account 7");
    expect(
      purposeOf(entry({ charged: call, remark: { kind: "reversal", record: null, reverses: 4, voucher: null } })),
    ).toBe("reversal of entry 4");
  });
  it("of a session that is not known says what the network reported", () => {
    const orphan = entry({ amount: "0.00", charged: { ...call, client: "smf" }, session: "ab", system: "orphan" });
    expect([isOrphan(orphan), isOrphan({ ...orphan, system: "revenue" })]).toEqual([true, false]);
    expect([purposeOf(orphan), makerOf(orphan)]).toEqual(["not charged: voice to 46709", "smf"]);
  });
  it("says who made it", () => {
    expect(makerOf(entry({ remark: transfer }))).toBe("otto");
    expect(makerOf(entry({ session: "ab" }))).toBe("the network");
    expect(makerOf(entry({ session: "ab", charged: { ...call, client: "trial of anna" } }))).toBe("trial of anna");
    expect(makerOf(entry({}))).toBe("the system");
  });
  it("is reversed, unless it is a reversal, of a transfer, or of a session that is not known", () => {
    expect(isReversible(entry({}))).toBe(true);
    expect(isReversible(entry({ remark: { kind: "reversal", record: null, reverses: 4, voucher: null } }))).toBe(false);
    expect(isReversible(entry({ system: "transfer", remark: transfer }))).toBe(false);
    expect(isReversible(entry({ system: "orphan" }))).toBe(false);
    const reversal = entry({ entry: 9, remark: { kind: "reversal", record: null, reverses: 4, voucher: null } });
    expect(reversalOf(entry({ entry: 4 }), [reversal])).toBe(reversal);
    expect(reversalOf(entry({ entry: 5 }), [reversal])).toBeUndefined();
  });
});

describe("what was done", () => {
  const moved = {
    account: 1,
    entry: 12,
    bucket: 0,
    unit: "money" as const,
    balance: "110.00",
    currency: "SEK",
    bonuses: [],
    repeated: false,
  };
  it("says the balance", () =>
    expect(movedInWords("100.00 SEK refilled", moved)).toBe(
      "100.00 SEK refilled. The main balance is 110.00 SEK now.",
    ));
  it("says which balance, and what it counts", () => {
    const bundle = { ...moved, bucket: 2, unit: "octets" as const, balance: "10000000000" };
    expect(movedInWords("10,000,000,000 octets added", bundle)).toBe(
      "10,000,000,000 octets added. Balance 2 is 10,000,000,000 octets now.",
    );
  });
  it("says which bonuses it got", () => {
    const bonuses = [{ bonus: "welcome", unit: "events" as const, amount: "20", bucket: 1 }];
    expect(movedInWords("100.00 SEK refilled", { ...moved, bonuses })).toBe(
      "100.00 SEK refilled. The main balance is 110.00 SEK now. Bonus welcome: 20 events.",
    );
    expect(movedInWords("100.00 SEK refilled", { ...moved, bonuses, repeated: true })).not.toContain("welcome");
  });
  it("says that it changed nothing when it came again", () => {
    expect(movedInWords("100.00 SEK refilled", { ...moved, repeated: true })).toBe(
      "This was done before, as entry 12: nothing is changed. The main balance is 110.00 SEK.",
    );
    const transferred = { from: 1, to: 2, fee: "0.00", balance: "90.00", currency: "SEK", repeated: true };
    expect(transferredInWords("10.00", transferred)).toContain("nothing is changed");
    expect(transferredInWords("10.00", { ...transferred, fee: "0.50", repeated: false })).toContain(
      "for a fee of 0.50 SEK",
    );
  });
});

it("a reference is random, and fits into a line", () => {
  expect(newReference()).toMatch(/^web-[0-9a-f]{16}$/);
  expect(newReference()).not.toBe(newReference());
});

describe("subscribers in a file", () => {
  it("are lines of a number and an amount", () =>
    expect(subscribersIn('number,amount,type\r\n46701,100.00\r\n\r\n"46702", "0"\n46703,0,plus').subscribers).toEqual([
      { number: "46701", amount: "100.00", line: 2 },
      { number: "46702", amount: "0", line: 4 },
      { number: "46703", amount: "0", subscriber_type: "plus", line: 5 },
    ]));
  it("are each number once", () => {
    const { subscribers, repeated } = subscribersIn("46701,1\n46702,2\n+467 01,3\n46702,2\n");
    expect(subscribers.map(({ amount }) => amount)).toEqual(["1", "2"]);
    expect(repeated).toEqual([3, 4]);
  });
  it("have the columns that the first line names", () =>
    expect(subscribersIn("Type,Amount,Number\nplus,5,46701\n").subscribers).toEqual([
      { number: "46701", amount: "5", subscriber_type: "plus", line: 2 },
    ]));
  it.each([
    ["46701,1\n46702;2\n", 's.csv:2: "46702;2" is no line of "number,amount,type".'],
    ["msisdn,balance\n46701,1\n", 's.csv:1: there is no column "msisdn"; number, amount and type are possible.'],
    ["number\n46701\n", 's.csv:1: there is no column "amount".'],
    ["number,amount,number\n", 's.csv:1: there are two columns "number".'],
    ["number,amount\n46701,1,plus\n", 's.csv:2: "46701,1,plus" is no line of "number,amount".'],
    ['46701,"1\n46702;2\n', 's.csv:1: a quotation mark in ""1" has no other one.\ns.csv:2: "46702;2" is no'],
  ])("have no other lines: %j", (text, mistake) =>
    expect(mistakesInWords("s.csv", subscribersIn(text).mistakes)).toContain(mistake),
  );
});
