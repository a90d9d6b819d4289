/** What is stored of a subject, and what is erased, in words. */
import { describe, expect, it } from "vitest";

import type { ForgottenFraudSubject, FraudSubject } from "../../src/api/types";
import { subjectAddress } from "../../src/fraud/address";
import { erasedInWords, isNothing } from "../../src/fraud/subject-words";

const NONE = {
  alerts: [],
  cases: [],
  actions: [],
  lists: [],
  other_keys: [],
  views: [],
  indexed: 0,
} as unknown as FraudSubject;

describe("a report", () => {
  it("is about nothing if only views have the key", () => {
    expect(isNothing(NONE)).toBe(true);
    expect(isNothing({ ...NONE, views: [{}] } as unknown as FraudSubject)).toBe(true);
    expect(isNothing({ ...NONE, other_keys: ["4670>31"] })).toBe(false);
    expect(isNothing({ ...NONE, indexed: 1 })).toBe(false);
  });
  it("has an address for any key", () => {
    expect(subjectAddress("4670>31 &x")).toBe("/fraud/subject?key=4670%3E31+%26x");
  });
});

describe("an erasure", () => {
  const none = { alerts: 0, records: 0, cases: 0, steps: 0, actions: 0, list_hits: 0, trail: 0, indexed: 0 };
  const said = (of: Partial<typeof none>) => erasedInWords({ ...none, ...of } as ForgottenFraudSubject);
  it("says what was erased, without what was not there", () => {
    expect(said({ alerts: 5, cases: 1, trail: 2 })).toBe("5 alerts, 1 case, 2 entries of the audit trail");
    expect(said({ indexed: 120, trail: 1 })).toBe("120 indexed records, 1 entry of the audit trail");
    expect(said({ trail: 1 })).toBe("1 entry of the audit trail");
    expect(said({})).toBe("nothing");
  });
});
