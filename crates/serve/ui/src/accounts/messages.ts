/** Messages between peers of Diameter and the charging system: their order in a ladder, and what they say. */
import type { MessageAvp, PeerMessage } from "../api/types";
import { visible } from "../parts/visible";
import { peerKey } from "./peers";

/** What messages are looked for. */
export interface MessageFilter {
  number: string;
  session: string;
  peer: string;
  /** The newest of them, so many at most. */
  limit: number;
}

/** A message in a ladder. */
export interface Rung {
  /** Identifies the message. It is the same when the list is loaded again. */
  key: string;
  message: PeerMessage;
  /** The place of its peer among the peers. */
  lane: number;
  /** Whether it is of another day than the message before it. */
  isNewDay: boolean;
  /** The key of its answer, or of its request. Null if that is not in the list. */
  partner: string | null;
  /** For an answer, the microseconds since its request. */
  tookUs: number | null;
}

export interface Ladder {
  /** The names of the peers, in their order. */
  hosts: string[];
  rungs: Rung[];
}

/** Puts messages, which are in the order of time, into a ladder. */
export function ladderOf(messages: readonly PeerMessage[]): Ladder {
  const hosts = hostsOf(messages);
  const keys = keysOf(messages);
  const requests = new Map(pairsOf(messages).map(([request, answer]) => [answer, request]));
  const answers = new Map([...requests].map(([answer, request]) => [request, answer]));
  const lanes = new Map(hosts.map((host, lane) => [peerKey({ host }), lane]));
  const rungs = messages.map((message, place): Rung => {
    const request = requests.get(place);
    const partner = request ?? answers.get(place);
    return {
      key: keys[place]!,
      message,
      lane: lanes.get(peerKey({ host: message.peer }))!,
      isNewDay: dayOf(message.at) !== dayOf(messages[place - 1]?.at ?? ""),
      partner: partner === undefined ? null : keys[partner]!,
      tookUs: request === undefined ? null : microseconds(message.at) - microseconds(messages[request]!.at),
    };
  });
  return { hosts, rungs };
}

/** Returns the name of each peer once, so that a peer has the same place when others come. */
function hostsOf(messages: readonly PeerMessage[]): string[] {
  const hosts = new Map(messages.map(({ peer }) => [peerKey({ host: peer }), peer]));
  return [...hosts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, host]) => host);
}

/** Returns the keys of messages. A peer can send two that are alike within a microsecond. */
function keysOf(messages: readonly PeerMessage[]): string[] {
  const alike = new Map<string, number>();
  return messages.map(({ at, address, sent, command, hop_by_hop }) => {
    const key = `${at} ${address} ${sent} ${command} ${hop_by_hop}`;
    const many = alike.get(key) ?? 0;
    alike.set(key, many + 1);
    return `${key} ${many}`;
  });
}

/**
 * Returns the places of each request and its answer: the next message on the connection in the other direction with the
 * same identifier and command. Both sides number their requests, so an identifier alone does not do.
 */
function pairsOf(messages: readonly PeerMessage[]): [request: number, answer: number][] {
  const waiting = new Map<string, number>();
  const pairs: [number, number][] = [];
  for (const [place, message] of messages.entries()) {
    const kind = kindOf(message);
    const [own, other] = [true, false].map((same) => exchangeOf(message, message.sent === same)) as [string, string];
    const request = kind === "request" ? undefined : waiting.get(other);
    if (request !== undefined) {
      pairs.push([request, place]);
      waiting.delete(other);
    } else if (kind !== "answer") waiting.set(own, place);
  }
  return pairs;
}

/** `CCR` and `CCA` are of one exchange. A command without a name is the same in both. */
const exchangeOf = ({ peer, address, hop_by_hop, command }: PeerMessage, isSent: boolean) =>
  [peerKey({ host: peer }), address, hop_by_hop, command.replace(/[RA]$/, ""), isSent].join(" ");

/** A command without a name is that of a request and of an answer, and an answer may have no result. */
function kindOf({ command, result }: PeerMessage): "request" | "answer" | "either" {
  if (result != null || command.endsWith("A")) return "answer";
  return command.endsWith("R") ? "request" : "either";
}

const dayOf = (at: string) => at.slice(0, 10);

/** Returns the microseconds since 1970 of `2026-11-21T14:05:00.123456Z`. */
function microseconds(at: string): number {
  const [, second = "", fraction = ""] = /^([^.Z]*)(?:\.(\d{1,6}))?/.exec(at) ?? [];
  return Date.parse(`${second}Z`) * 1_000 + Number(fraction.padEnd(6, "0"));
}

/** Returns the time of the day to the millisecond: `14:05:00.123`. */
export const clock = (at: string) => at.slice(11, 23).replace(/Z$/, "");

/** Returns the time to the microsecond: `2026-11-21 14:05:00.123456`. */
export const precise = (at: string) => at.replace("T", " ").replace(/Z$/, "");

/** Returns what a message says. The result of an answer stands beside its command already. */
export function saidBy({ summary, result }: Pick<PeerMessage, "summary" | "result">): string {
  if (result == null || !summary.startsWith(String(result))) return visible(summary);
  const rest = summary.slice(String(result).length);
  return rest === "" || rest.startsWith(": ") ? visible(rest.slice(2)) : visible(summary);
}

/** Returns the name of an AVP. */
export const avpName = ({ name, code }: Pick<MessageAvp, "name" | "code">) =>
  name === "" ? `AVP ${code}` : visible(name);

/** Reads Base64. */
export const octetsOf = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
