/** Messages of peers in a ladder: their order, their pairs, and what they say. */
import { describe, expect, it } from "vitest";

import { messagesAddress } from "../../src/accounts/address";
import { avpName, clock, ladderOf, octetsOf, precise, saidBy } from "../../src/accounts/messages";
import type { PeerMessage } from "../../src/api/types";

const DAY = "2026-11-30T";

/** A message: `at` is the time of the day. */
const message = (at: string, command: string, more: Partial<PeerMessage> = {}): PeerMessage => ({
  at: `${DAY}${at}Z`,
  peer: "smf.example.net",
  address: "192.0.2.1:3868",
  sent: false,
  command,
  summary: "",
  session: null,
  result: null,
  hop_by_hop: 7,
  octets: 100,
  avps: [],
  ...more,
});

/** The places of the pairs in a ladder: for each message, the place of its partner. */
function partners(messages: PeerMessage[]): (number | null)[] {
  const { rungs } = ladderOf(messages);
  const keys = rungs.map(({ key }) => key);
  return rungs.map(({ partner }) => (partner === null ? null : keys.indexOf(partner)));
}

const sent = { sent: true, result: 2001 };

describe("the pairs", () => {
  it("are a request and the next message in the other direction", () =>
    expect(
      partners([
        message("08:00:00.000001", "CCR"),
        message("08:00:00.000002", "CCA", sent),
        message("08:00:00.000003", "CCR"),
        message("08:00:00.000004", "CCA", sent),
      ]),
    ).toEqual([1, 0, 3, 2]));
  it("are of one command, although both sides count from the same number", () =>
    expect(
      partners([
        message("08:00:00.000001", "CCR"),
        message("08:00:00.000002", "DWR", { sent: true }),
        message("08:00:00.000003", "DWR"),
        message("08:00:00.000004", "CCA", sent),
        message("08:00:00.000005", "DWA", sent),
        message("08:00:00.000006", "DWA", { result: 2001 }),
      ]),
    ).toEqual([3, 5, 4, 0, 2, 1]));
  it("are of one connection", () =>
    expect(
      partners([
        message("08:00:00.000001", "CCR"),
        message("08:00:00.000002", "CCA", { ...sent, address: "192.0.2.1:3869" }),
        message("08:00:00.000003", "CCA", { ...sent, peer: "SMF.example.net" }),
      ]),
    ).toEqual([2, null, 0]));
  it("may be of a command without a name, and of an answer without a result", () =>
    expect(
      partners([
        message("08:00:00.000001", "999"),
        message("08:00:00.000002", "999", { sent: true }),
        message("08:00:00.000003", "RAR", { sent: true }),
        message("08:00:00.000004", "RAA"),
      ]),
    ).toEqual([1, 0, 3, 2]));
  it("are none without a request, or without an answer", () =>
    expect(
      partners([
        message("08:00:00.000001", "CCA", sent),
        message("08:00:00.000002", "CCR"),
        message("08:00:00.000003", "CCR", { sent: true }),
        message("08:00:00.000004", "CCA", { ...sent, hop_by_hop: 8 }),
      ]),
    ).toEqual([null, null, null, null]));
});

describe("a ladder", () => {
  it("has a line for each peer, by name", () => {
    const { hosts, rungs } = ladderOf([
      message("08:00:00.000001", "CCR"),
      message("08:00:00.000002", "CCR", { peer: "cscf.example.net" }),
      message("08:00:00.000003", "CCR", { peer: "smf.example.net" }),
    ]);
    expect(hosts).toEqual(["cscf.example.net", "smf.example.net"]);
    expect(rungs.map(({ lane }) => lane)).toEqual([1, 0, 1]);
    expect(ladderOf([])).toEqual({ hosts: [], rungs: [] });
  });
  it("has the time between a request and its answer, over a second and a day", () => {
    const { rungs } = ladderOf([
      message("08:00:59.999900", "CCR"),
      message("08:01:00.000150", "CCA", sent),
      message("23:59:59.999999", "CCR"),
      { ...message("", "CCA", sent), at: "2026-12-01T00:00:00.000001Z" },
    ]);
    expect(rungs.map(({ tookUs }) => tookUs)).toEqual([null, 250, null, 2]);
    expect(rungs.map(({ isNewDay }) => isNewDay)).toEqual([true, false, false, true]);
  });
  it("has different keys for messages that are alike, and the same ones again", () => {
    const alike = [message("08:00:00.000001", "CCR"), message("08:00:00.000001", "CCR")];
    const keys = ladderOf(alike).rungs.map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
    expect(ladderOf(structuredClone(alike)).rungs.map(({ key }) => key)).toEqual(keys);
  });
});

it("times are shown to the millisecond and to the microsecond", () => {
  expect(clock("2026-11-30T08:00:59.999956Z")).toBe("08:00:59.999");
  expect(clock("2026-11-30T08:00:59Z")).toBe("08:00:59");
  expect(precise("2026-11-30T08:00:59.999956Z")).toBe("2026-11-30 08:00:59.999956");
});

it("what a message says leaves out the result that stands before it", () => {
  const said = (summary: string, result: number | null) => saidBy({ summary, result });
  expect(said("5030: no account has the subscriber", 5030)).toBe("no account has the subscriber");
  expect(said("2001", 2001)).toBe("");
  expect(said("20010 octets", 2001)).toBe("20010 octets");
  expect(said("initial 0", null)).toBe("initial 0");
  expect(said("5004: \u202eevil", 5004)).toBe("\\u202eevil");
});

it("an AVP that no dictionary has is named by its code", () => {
  expect(avpName({ name: "", code: 8 })).toBe("AVP 8");
  expect(avpName({ name: "Session-Id", code: 263 })).toBe("Session-Id");
});

it("Base64 becomes octets", () => {
  expect([...octetsOf("Cg0NCgD/")]).toEqual([0x0a, 0x0d, 0x0d, 0x0a, 0x00, 0xff]);
  expect(octetsOf("").length).toBe(0);
});

it("an address has the messages of a session with any name", () => {
  expect(messagesAddress({ session: "a&b;1=2 +" })).toBe("/accounts?view=messages&session=a%26b%3B1%3D2+%2B");
  expect(messagesAddress({ peer: "smf.example.net" })).toBe("/accounts?view=messages&peer=smf.example.net");
});
