/** Rates, states and results of peers of Diameter. */
import { expect, it } from "vitest";

import { metered, milliseconds, peerKey, resultOf, roundTripOf, stateOf } from "../../src/accounts/peers";
import type { ConnectedPeer } from "../../src/api/types";

const SMF = "smf.example.net";

const counted = (requests: number, host = SMF) => ({ host, requests });

it("a rate is that of the time since the last measurement", () => {
  const first = metered(null, [counted(100)], 5_000);
  expect(first.rates.size).toBe(0);
  const second = metered(first, [counted(150, "SMF.example.net"), counted(7, "pgw.example.net")], 7_000);
  expect([...second.rates]).toEqual([[SMF, 25]]);
  expect(metered(second, [counted(151)], 7_100)).toBe(second);
  expect([...metered(second, [counted(150)], 9_000).rates]).toEqual([[SMF, 0]]);
});

it("there is no rate after another start of the system", () => {
  const first = metered(null, [counted(100)], 5_000);
  const second = metered(first, [counted(3)], 7_000);
  expect(second.rates.size).toBe(0);
  expect([...metered(second, [counted(5)], 9_000).rates]).toEqual([[SMF, 1]]);
});

it("a name that only looks like another one is of another peer", () => {
  expect(peerKey(counted(0, "SMF.Example.net"))).toBe(SMF);
  // The sign for kelvin is a k in lower case.
  expect(peerKey(counted(0, "\u212a"))).not.toBe("k");
});

const connected = (...suspect: boolean[]): Pick<ConnectedPeer, "connections"> => ({
  connections: suspect.map((is, place) => ({
    address: "192.0.2.1:3868",
    transport: "tcp",
    since: "2026-11-30T08:00:00Z",
    suspect: is,
    in_flight: 0,
    round_trip_us: place === 0 ? null : place * 1_000,
  })),
});

it("a peer is what its connections are", () => {
  const states = [connected(), connected(false), connected(true, true), connected(true, false)];
  expect(states.map((of) => stateOf(of).state)).toEqual(["gone", "open", "does not answer", "1 of 2 does not answer"]);
  expect(states.map(roundTripOf)).toEqual([null, null, 1_000, 1_000]);
  expect(roundTripOf(connected(false, false, false))).toBe(2_000);
  expect([84, 1_240, 12_300].map(milliseconds)).toEqual(["0.08 ms", "1.2 ms", "12 ms"]);
});

it("results that are no success have a mark", () => {
  expect(resultOf({ code: 2001, count: 1_204 })).toEqual({ text: "2001: 1,204", means: "Success", mark: null });
  const marks = [3004, 4012, 5030, 0, 9_000].map((code) => resultOf({ code, count: 1 }).mark);
  expect(marks).toEqual(["major", "minor", "major", "warning", "warning"]);
  expect(resultOf({ code: 0, count: 2 }).text).toBe("others: 2");
  expect(resultOf({ code: 2002, count: 2 })).toEqual({ text: "2002: 2", means: undefined, mark: null });
});
