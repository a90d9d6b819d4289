/** Lists of keys, in the pretended gateway. */
import type { FraudListEntry } from "../../src/api/types.ts";
import type { At } from "./time.ts";

/** The entries of each list, the first line first. Null for a list that has mistakes. */
export type FakeLists = Record<string, FraudListEntry[] | null>;

/** The node that reads all of them. */
export const LIST_NODE = "calls";

export const entry = (line: number, key: string, more: Partial<FraudListEntry> = {}): FraudListEntry => ({
  line,
  key,
  from: null,
  until: null,
  over: false,
  source: null,
  who: null,
  because: null,
  hits: 0,
  last_hit: null,
  ...more,
});

export const fraudLists = (at: At): FakeLists => ({
  "call-centres": [
    entry(2, "46771234567", {
      ...{ source: "support", who: "nils", because: "a call centre of the tax office", until: "2099-12-31" },
      ...{ hits: 1_204, last_hit: at(6) },
    }),
    entry(3, "46709*", { source: "import", because: "test numbers of ours", hits: 31, last_hit: at(60 * 24 * 3) }),
    entry(4, "46731112233", {
      ...{ from: "2025-11-01", until: "2025-12-31", over: true, source: "support", who: "anna" },
      ...{ because: "a fund-raising of before Christmas", hits: 88, last_hit: at(60 * 24 * 340) },
    }),
    entry(5, "0099000001\u202e", { source: "a-17", because: "wangiri", who: "rule" }),
  ],
  "hot-ranges": [entry(2, "882*", { source: "GSMA", because: "numbers that cost much", hits: 12, last_hit: at(39) })],
  staff: null,
});
