/** What networks asked of the charging system: more with each second. */
import type { ChargingTraffic } from "../../src/api/types.ts";
import { minutes } from "./time.ts";
import type { World } from "./world.ts";

const RATES = [
  ["first", 41.5],
  ["next", 83],
  ["final", 40.9],
  ["debit", 12.25],
  ["refund", 0],
] as const;

export function trafficOf(world: World): ChargingTraffic {
  const seconds = Math.floor(world.now() / 1_000) % 100_000;
  return {
    since: minutes(world.now(), 600),
    requests: RATES.map(([kind, per_second]) => ({ kind, per_second, count: Math.floor(seconds * per_second) })),
    refused: [
      { code: "no-money", count: 128 },
      { code: "subscriber-unknown", count: 3 },
    ],
    repeated: 17,
    unknown_sessions: 2,
    replaced_sessions: 3,
    lapsed_sessions: 5,
    answers: { p50_ms: 1.8, p99_ms: 11.4 },
    commits: { p50_ms: 0.9, p99_ms: 8.2 },
    batch_size: 6.4,
    revenue_per_minute: "312.50",
  };
}
