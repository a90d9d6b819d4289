/** The peers of Diameter of the charging system in memory. */
import type { ConnectedPeer, RefusedPeer } from "../../src/api/types.ts";
import type { At } from "./time.ts";

export const PROFILES = ["standard", "open5gs", "kamailio", "cisco", "nokia", "magma"];

export interface FakePeers {
  /** Those that are or were connected, in the order of their names. */
  connected: ConnectedPeer[];
  /** The last one first. */
  refused: RefusedPeer[];
  /** The hosts of those that were let in, and have not connected since. */
  allowed: Set<string>;
}

type Connection = ConnectedPeer["connections"][number];

const REALM = "epc.example.net";

/** The time between two requests of a peer that is connected. */
const REQUEST_MS = 200;

const connection = (address: string, since: string, more: Partial<Connection> = {}): Connection => ({
  address,
  transport: "tcp",
  since,
  suspect: false,
  in_flight: 0,
  round_trip_us: 840,
  ...more,
});

const peer = (host: string, product: string, more: Partial<ConnectedPeer>): ConnectedPeer => ({
  host,
  realm: REALM,
  product,
  connections: [],
  requests: 0,
  results: [],
  discarded: 0,
  orphans: 0,
  unequal_octets: 0,
  ended: null,
  ended_because: null,
  ...more,
});

export const peersOf = (ago: At): FakePeers => ({
  connected: [
    peer("cscf.ims.example.net", "kamailio", {
      connections: [connection("192.0.2.21:41022", ago(95), { suspect: true, in_flight: 7, round_trip_us: 12_300 })],
      results: [{ code: 3004, count: 2 }],
      discarded: 4,
      orphans: 1,
    }),
    peer("pgw-2.epc.example.net", "", {
      realm: null,
      product: null,
      requests: 812,
      results: [{ code: 2001, count: 812 }],
      ended: ago(31),
      ended_because: "the peer disconnected: it restarts\u202e",
    }),
    peer("smf.epc.example.net", "open5gs", {
      connections: [
        connection("192.0.2.11:38112", ago(180), { in_flight: 2 }),
        connection("[2001:db8::11]:38113", ago(60), { transport: "tls", in_flight: 1, round_trip_us: null }),
      ],
      results: [
        { code: 4012, count: 17 },
        { code: 5030, count: 3 },
        { code: 0, count: 1 },
      ],
    }),
  ],
  refused: [
    {
      host: "smf-3.epc.example.net",
      realm: REALM,
      product: "open5gs",
      address: "192.0.2.13:51240",
      why: "no table of [diameter.peers] names it",
      unknown: true,
      at: ago(2),
      attempts: 40,
    },
    {
      host: "smf-\u200b3.epc.example.net",
      realm: REALM,
      product: "\u202eopen5gs",
      address: "203.0.113.99:40000",
      why: "no table of [diameter.peers] names it",
      unknown: true,
      at: ago(12),
      attempts: 1,
    },
    {
      host: "pgw.epc.example.net",
      realm: REALM,
      product: "freeDiameter",
      address: "192.0.2.14:50111",
      why: "it has no application in common with this node",
      unknown: false,
      at: ago(44),
      attempts: 3,
    },
  ],
  allowed: new Set(),
});

/** Connects those that were let in, and lets time bring requests. */
export function goOnPeers(peers: FakePeers, now: number): void {
  const isAllowed = ({ host }: RefusedPeer) => peers.allowed.has(host);
  for (const { host, product, address } of peers.refused.filter(isAllowed)) {
    const since = new Date(now).toISOString();
    peers.connected.push(peer(host, product, { connections: [connection(address, since)] }));
  }
  peers.refused = peers.refused.filter((each) => !isAllowed(each));
  peers.connected.sort((one, other) => (one.host < other.host ? -1 : 1));
  for (const each of peers.connected) {
    const [first] = each.connections;
    if (first === undefined || first.suspect) continue;
    each.requests = Math.floor((now - Date.parse(first.since)) / REQUEST_MS);
    const others = each.results.filter(({ code }) => code !== 2001);
    const failed = others.reduce((sum, { count }) => sum + count, 0);
    each.results = [{ code: 2001, count: Math.max(0, each.requests - failed) }, ...others].filter(
      ({ count }) => count > 0,
    );
  }
}
