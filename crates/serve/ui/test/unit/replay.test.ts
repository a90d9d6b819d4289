/** The results of a replay, in words. */
import { describe, expect, it } from "vitest";

import type { Replay, ReplayReport } from "../../src/api/types";
import { became, changeOf, difference, differingFirst, filesOf, summaryOf, triedOf } from "../../src/replay/words";

describe("a replay in words", () => {
  it("says by how much a sum differs, however large", () => {
    for (const [before, after, wanted] of [
      ["5", "5", "0"],
      ["5", "7", "+2"],
      ["170141183460469231731", "170141183460469230011", "−1,720"],
      ["-3", "3", "+6"],
    ] as const)
      expect(difference(before, after)).toBe(wanted);
  });

  it("says what all comes to", () => {
    const counts = [{ what: "records", before: 1, after: 1 }];
    const report = { files: 1, files_differing: 1, differing: 1, groups_differing: 0, counts } as ReplayReport;
    expect(summaryOf({ ...report, differs: false })).toBe("Nothing would change: 1 file, 1 record.");
    expect(summaryOf({ ...report, differs: true })).toBe(
      "Something else would become of 1 of 1 record, in 1 of 1 file.",
    );
    expect(summaryOf({ ...report, differs: true, groups_differing: 2 })).toContain(", and of 2 groups, in");
  });

  it("says what was tried, and on what", () => {
    expect(triedOf({ version: 3, drafts: [] })).toBe("Version 3");
    expect(triedOf({ version: null, drafts: ["a.dup"] })).toBe("The draft of a.dup");
    expect(triedOf({ version: null, drafts: ["", "a.dup"] })).toBe("Drafts of the flow file, a.dup");
    const replay = { files: 2, network_elements: ["a", "b"], files_left_out: 1, files_gone: 1 } as Replay;
    expect(filesOf(replay)).toBe("2 files of a, b (the last of 4 that came then; 1 is not there any more)");
  });

  it("says what became of a record, and what a receiver gets", () => {
    expect(became(null)).toBe("not there");
    expect(became({ what: "suspended", at: "", reason: null })).toBe("suspended");
    expect(became({ what: "held", at: "calls", reason: null })).toBe("held at calls");
    const gets = { post_processing_system: "a", fields: [] };
    expect(changeOf({ ...gets, change: "changed" })).toBe("gets it written otherwise");
    expect(changeOf({ ...gets, change: "only-after" })).toBe("gets it only then");
  });

  it("has what differs first, and the rest as it was", () => {
    expect(differingFirst([1, 2, 3, 4], (each) => each % 2 === 0)).toEqual([2, 4, 1, 3]);
  });
});
