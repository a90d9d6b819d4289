import { describe, expect, it } from "vitest";

import { address, refusal, said, sentence } from "../../src/api/client";
import type { Alarm } from "../../src/api/types";
import { faultsFirst } from "../../src/audit/sequences";
import { worstFirst } from "../../src/alarms/alarms-page";
import { activationInWords } from "../../src/graph/activation";
import { consequencesInWords } from "../../src/graph/consequences";
import { passwordProblem } from "../../src/login/password";
import { chosenInWords, endedInWords } from "../../src/matching/words";
import { alarmsInWords } from "../../src/shell/standing";
import { octetLines } from "../../src/suspense/octets";
import { retriedInWords } from "../../src/suspense/retry-dialog";
import { narrowingOf } from "../../src/suspense/narrowing";
import { filterOf } from "../../src/suspense/suspense-page";
import type { Activation, Step } from "../../src/api/types";
import { sequences } from "../fake/reports";
import { world } from "../fake/world";
import { stepInWords } from "../../src/trace/step";
import { summary } from "../../src/plots/summary";

const response = (status: number, headers: Record<string, string> = {}) => ({ status, headers: new Headers(headers) });

describe("a refusal", () => {
  it("says what the gateway says", () => {
    expect(refusal(response(409), '{"error":"the flow file was changed"}')).toMatchObject({
      status: 409,
      message: "The flow file was changed.",
      hint: null,
    });
  });
  it("has the code of the gateway, and none where the text is its own", () => {
    const gateways = '{"error":"none of these groups waits","code":"groups-not-waiting"}';
    expect(refusal(response(409), gateways).code).toBe("groups-not-waiting");
    expect(refusal(response(409), '{"error":"of an older gateway","code":7}').code).toBeNull();
    expect(refusal(response(502), "<html>").code).toBeNull();
  });
  it("says something where a proxy answers", () =>
    expect(refusal(response(502), "<html>").message).toBe("The gateway answered with status 502."));
  it("says how long to wait", () =>
    expect(refusal(response(429, { "Retry-After": "30" }), "").message).toBe(
      "That was tried too often; try again in 30 seconds.",
    ));
});

it("a sentence has an end, and names stay as they are", () => {
  expect(sentence('no node named "x"')).toBe('No node named "x"');
  expect(sentence("isRoaming gives nothing")).toBe("isRoaming gives nothing.");
  expect(sentence("It is there.")).toBe("It is there.");
});

it("an address has what is said", () => {
  expect(address("/api/files", said({ name: "a b", network_element: "", before: 7 }))).toBe(
    "/api/files?name=a%20b&before=7",
  );
  expect(address("/api/suspense", { node: "", limit: undefined })).toBe("/api/suspense?node=");
});

it("what could not be read has no node, which is asked for so", () => {
  expect(filterOf(new URLSearchParams("unread=true&network_element=msc"), 0)).toEqual({
    state: "open",
    network_element: "msc",
    node: "",
  });
  expect(filterOf(new URLSearchParams("state=discarded"), 0)).toEqual({ state: "discarded" });
  expect(filterOf(new URLSearchParams("hours=1"), 7_200_000)).toEqual({ state: "open", from: "1970-01-01T01:00:00Z" });
});

it("what became of retried records is told without naught", () => {
  const none = { delivered: 0, filtered: 0, held: 0, suspended: 0, duplicate: 0, waiting: 0, taken_back: 0, left: 0 };
  const nothing = { asked: 3, records: 3, ...none, damaged: [], reasons: [] };
  expect(retriedInWords({ ...nothing, delivered: 2, suspended: 1 })).toBe(
    "3 records retried: 2 delivered, 1 in suspense again.",
  );
  expect(retriedInWords(nothing)).toBe("3 records retried.");
  expect(retriedInWords({ ...nothing, delivered: 3, left: 2, taken_back: 1, damaged: [4, 5, 6, 7, 8, 9] })).toBe(
    "3 records retried: 3 delivered. 2 duplicates left in suspense. 1 record left, as somebody has taken that back meanwhile. " +
      "Not retried, as their octets were damaged in the journal: 4, 5, 6, 7, 8, ….",
  );
});

it("every filter of suspense is shown, and an empty one is none", () => {
  const shown = (query: string) =>
    narrowingOf(new URLSearchParams(query)).map(({ name, value }) => `${name}: ${value}`);
  expect(shown("state=discarded&code=&sort=-since&unread=false&days=many")).toEqual([]);
  expect(shown("code=ber-unexpected-tag&template=tag+{tag}&value=7")).toEqual([
    "Code: ber-unexpected-tag",
    "Reason: tag {tag}",
    "Value in the reason: 7",
  ]);
  expect(shown("unread=true&node=home-v5")).toEqual(["Node: could not be read"]);
  expect(shown("hours=1")).toEqual(["Period: the last hour"]);
  expect(shown("days=3")).toEqual(["Period: 3 days"]);
  expect(shown("from=2026-11-01&to=2026-11-02T08:00")).toEqual([
    "Period: from 2026-11-01 until 2026-11-02 08:00 in UTC",
  ]);
});

it("octets are sixteen a line", () => {
  expect(octetLines("41".repeat(16) + "00ff")).toEqual([
    { at: "000000", octets: Array(16).fill("41").join(" "), text: "A".repeat(16) },
    { at: "000010", octets: "00 ff", text: ".." },
  ]);
  expect(octetLines("")).toEqual([]);
});

it("alarms are shown the worst first, behind them those that somebody has seen", () => {
  const alarm = (id: number, severity: Alarm["severity"], isSeen = false): Alarm => ({
    id,
    severity,
    kind: "",
    subject: "",
    text: "",
    raised: "",
    cleared: severity === "cleared" ? "x" : null,
    event_type: "processingErrorAlarm",
    probable_cause: "",
    acknowledged: isSeen ? { who: "", at: "", remark: "" } : null,
  });
  const order = worstFirst([
    alarm(1, "minor"),
    alarm(2, "cleared"),
    alarm(3, "critical", true),
    alarm(4, "major"),
    alarm(5, "major"),
  ]);
  expect(order.map((each) => each.id)).toEqual([5, 4, 1, 3, 2]);
  expect(alarmsInWords({ critical: 0, major: 2, minor: 1, warning: 0 })).toBe("2 major +1");
  expect(alarmsInWords({ critical: 0, major: 0, minor: 0, warning: 0 })).toBe("none");
});

it("what is missing comes before what is expected", () => {
  expect(
    faultsFirst(sequences(world("example")).lines)
      .map((line) => line.what)
      .slice(0, 2),
  ).toEqual(["missing", "expected"]);
});

it("a password is long, and meant", () => {
  expect(passwordProblem("short", "short")).toMatch("too short");
  expect(passwordProblem("long enough for us", "long enough for u")).toMatch("not the same");
  expect(passwordProblem("long enough for us", "long enough for us")).toBeNull();
});

it("what was not activated is no success", () => {
  const of = (answer: Activation["answer"]) => () =>
    activationInWords({ answer, changed: ["flow.toml"], mistakes: ["flow.toml:1:1: no"] }, "Version 3");
  expect(of("active")()).toBe("Version 3 is active; changed: flow.toml.");
  expect(of("pending")()).toMatch("when the files in work are done");
  expect(of("mistakes")).toThrow("was not taken");
  expect(of("stopping")).toThrow("stopping");
});

it("consequences are told in sentences, and what is lost first", () => {
  const none = {
    network_elements_added: [],
    network_elements_removed: [],
    nodes_added: [],
    nodes_removed: [],
    post_processing_systems_added: [],
    post_processing_systems_removed: [],
    needs_second_person: false,
  };
  expect(consequencesInWords(none)).toEqual([]);
  const removed = (node: string, suspended_records: number, waiting_groups: number) => ({
    node,
    suspended_records,
    waiting_groups,
  });
  const billing = { post_processing_system: "billing", undelivered_files: 2, suspended_records: 1 };
  const all = {
    ...none,
    network_elements_added: ["linz"],
    network_elements_removed: ["vienna", "graz"],
    nodes_removed: [removed("match", 30, 1), removed("split", 9, 0)],
    post_processing_systems_removed: [billing],
  };
  expect(consequencesInWords(all)).toEqual([
    "2 network elements stop being collected: vienna, graz",
    "2 nodes are removed: match, split",
    "40 suspended records lose their node",
    "1 waiting group loses its node",
    "1 receiver is removed: billing",
    "2 undelivered files lose their receiver",
    "1 network element is added: linz",
  ]);
});

it("steps are told in words, also those that a later gateway has", () => {
  expect(stepInWords({ passed: { node: "isRoaming", stream: "true" } })).toBe("passed isRoaming, as true");
  expect(stepInWords("unreadable")).toBe("it could not be read");
  expect(stepInWords({ "sent-away": { node: "x" } } as unknown as Step)).toBe("sent away");
});

it("a plot in words leaves out what is not known", () => {
  expect(summary([null, 2, 4, null])).toEqual({ last: 4, most: 4, mean: 3 });
  expect(summary([null])).toEqual({ last: null, most: null, mean: null });
});

describe("groups that were ended", () => {
  const nothing = { released: 0, suspended: 0, dropped: 0, completed: 0, waiting: 0, refused: [], more: false };
  it("say what became of them, and of which there are more", () =>
    expect(
      endedInWords({
        ...nothing,
        groups: 10_000,
        records: 12_001,
        released: 9_999,
        waiting: 1,
        more: true,
        problems: [],
      }),
    ).toBe(
      "10,000 groups of 12,001 records: 9,999 released, 1 ended as soon as the gateway can. More fit: that is as many as are ended at once.",
    ));
  it("say who refused one, and why", () =>
    expect(
      endedInWords({
        ...nothing,
        groups: 1,
        records: 2,
        suspended: 1,
        refused: [
          { id: 1, key: "13", node: "calls", records: 2, refused_by: "price", reason: "no tariff", release: null },
        ],
        problems: [],
      }),
    ).toBe("1 group of 2 records: 1 in suspense. price refused 13: no tariff."));
  it("are named by their numbers, or by where they wait", () => {
    expect(chosenInWords({ ids: [1, 2] }, 2)).toBe("2 groups");
    expect(chosenInWords({ node: "calls", key: "4711" }, 1)).toBe("the group of 4711 in calls");
  });
});
