/** The messages between peers of Diameter and the charging system in memory. */
import type { MessageAvp, PeerMessage } from "../../src/api/types.ts";

/** A message, with the key and the number of its session, by which it is found. */
export interface FakeMessage {
  message: PeerMessage;
  key: string | null;
  number: string | null;
}

export const NODE = "tollgate.example.net";

const SMF = "smf.epc.example.net";
const CSCF = "cscf.ims.example.net";
const NUMBER = "46701234567";

/** The vendor of the AVPs of 3GPP. */
const VENDOR = 10_415;

const avp = (name: string, code: number, value: string, more: Partial<MessageAvp> = {}): MessageAvp => ({
  name,
  code,
  value,
  ...more,
});

const group = (name: string, code: number, ...members: MessageAvp[]): MessageAvp => ({ name, code, members });

const TYPES = ["", "INITIAL_REQUEST (1)", "UPDATE_REQUEST (2)"];

const request = (session: string, number: number, ...services: MessageAvp[]) => [
  avp("Session-Id", 263, session),
  avp("Origin-Host", 264, SMF),
  avp("CC-Request-Type", 416, TYPES[number + 1]!),
  avp("CC-Request-Number", 415, String(number)),
  group("Subscription-Id", 443, avp("Subscription-Id-Data", 444, NUMBER)),
  ...services,
];

const answer = (session: string, result: number, ...others: MessageAvp[]) => [
  avp("Session-Id", 263, session),
  avp("Result-Code", 268, String(result)),
  avp("Origin-Host", 264, NODE),
  ...others,
];

const octets = (name: string, code: number, value: number) =>
  group(name, code, avp("CC-Total-Octets", 421, String(value)));

/** What a peer of an attacker sends: a direction that turns, a bell, markup, and a text without a place to break. */
const HOSTILE = `\u202eevil\u0007<b>${"x".repeat(400)}`;

/** A session that begins and is refused on, a watchdog of another peer, and what is not to be trusted. */
export function messagesOf(now: number, key: string): FakeMessage[] {
  const session = `${SMF};1795000000;17`;
  const begin = now - 180_000;
  const timed = (ms: number) => new Date(begin + ms).toISOString().replace("Z", "456Z");
  const smf = { peer: SMF, address: "192.0.2.11:38112" };
  const cscf = { peer: CSCF, address: "192.0.2.21:41022" };
  const message = (ms: number, of: Omit<PeerMessage, "at" | "octets">, own: string | null = null): FakeMessage => ({
    message: { at: timed(ms), octets: 240, ...of },
    key: own,
    number: own === null ? null : NUMBER,
  });
  const none = { session: null, result: null };
  return [
    message(
      0,
      {
        ...{ ...smf, sent: false, command: "CCR", session, result: null, hop_by_hop: 7001 },
        summary: "initial 0: 1000000 octets wanted (rating group 100)",
        avps: request(
          session,
          0,
          group(
            "Multiple-Services-Credit-Control",
            456,
            octets("Requested-Service-Unit", 437, 1_000_000),
            avp("Rating-Group", 432, "100"),
          ),
          avp("3GPP-Charging-Id", 2, "0x00ff17", { vendor: VENDOR }),
          avp("", 8, "0x00ff", { vendor: 9 }),
        ),
      },
      key,
    ),
    message(
      4,
      {
        ...{ ...smf, sent: true, command: "CCA", session, result: 2001, hop_by_hop: 7001 },
        summary: "2001: 1000000 octets granted for 600 s (rating group 100)",
        avps: answer(
          session,
          2001,
          group(
            "Multiple-Services-Credit-Control",
            456,
            octets("Granted-Service-Unit", 431, 1_000_000),
            avp("Validity-Time", 448, "600"),
          ),
        ),
      },
      key,
    ),
    message(30_000, {
      ...{ ...cscf, ...none, sent: true, command: "DWR", hop_by_hop: 7001, summary: "" },
      avps: [avp("Origin-Host", 264, NODE)],
    }),
    message(30_012, {
      ...{ ...cscf, ...none, sent: false, command: "DWA", hop_by_hop: 7001, summary: "2001", result: 2001 },
      avps: [avp("Result-Code", 268, "2001"), avp("Origin-Host", 264, CSCF)],
    }),
    message(
      90_000,
      {
        ...{ ...smf, sent: false, command: "CCR", session, result: null, hop_by_hop: 7002 },
        summary: "update 1: 1000000 octets used, 1000000 octets wanted (rating group 100)",
        avps: request(session, 1, octets("Used-Service-Unit", 446, 1_000_000)),
      },
      key,
    ),
    message(
      90_009,
      {
        ...{ ...smf, sent: true, command: "CCA", session, result: 4012, hop_by_hop: 7002 },
        summary: "4012: there is not enough money",
        avps: answer(session, 4012, avp("Error-Message", 281, "there is not enough money")),
      },
      key,
    ),
    message(120_000, {
      ...{ ...cscf, sent: false, command: "272", session: HOSTILE, result: null, hop_by_hop: 9 },
      summary: "it cannot be read",
      avps: [avp("Session-Id", 263, HOSTILE), avp("User-Name", 1, HOSTILE)],
    }),
    message(120_001, {
      ...{ ...cscf, sent: true, command: "272", session: HOSTILE, result: 5004, hop_by_hop: 9 },
      summary: `5004: the value of User-Name is none: ${HOSTILE}`,
      avps: answer(HOSTILE, 5004),
    }),
  ];
}
