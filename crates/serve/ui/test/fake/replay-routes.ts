/** Replays, each a moment long. The report shows differences if a script contains the word "other". */
import type { Replay, ReplayCount, ReplayReport } from "../../src/api/types.ts";
import { DONE, type FakeRoute, at, no, note, ok, route } from "./answering.ts";
import type { World } from "./world.ts";

/** The last replay of each world, and the number of requests since its start. */
const replays = new WeakMap<World, { replay: Replay; asked: number; differs: boolean }>();

const FILES = 3;

function report(differs: boolean): ReplayReport {
  const counted = (what: ReplayCount["what"], before: number, after: number) => ({ what, before, after });
  const receiver = (post_processing_system: string, before: number, after: number, changed: number) => ({
    post_processing_system,
    before,
    after,
    only_before: before - after,
    only_after: 0,
    changed,
  });
  const [lost, changed] = differs ? [12, 7] : [0, 0];
  return {
    differs,
    files: FILES,
    files_differing: differs ? 2 : 0,
    differing: lost + changed,
    groups_differing: 0,
    counts: [
      counted("records", 4800, 4800),
      counted("delivered", 4700, 4700 - lost),
      counted("filtered", 96, 96),
      counted("held", 0, 0),
      counted("suspended", 4, 4 + lost),
      counted("duplicate", 0, 0),
    ],
    receivers: [receiver("roaming-billing", 1200, 1200, 0), receiver("home-billing", 3500, 3500 - lost, changed)],
    sums: [
      {
        of: "home-billing written seconds",
        before: "170141183460469231731",
        after: differs ? "170141183460469230011" : "170141183460469231731",
      },
    ],
    headers: [],
    alert_days: 1,
    alerts: [
      {
        node: "calls",
        rule: "wangiri",
        before: 5,
        after: differs ? 3 : 5,
        only_before: differs ? 1 : 0,
        only_after: 0,
        fraud_before: 2,
        fraud_after: 2,
        not_fraud_before: 1,
        not_fraud_after: differs ? 0 : 1,
      },
    ],
    alert_keys: differs
      ? [
          {
            change: "only-before",
            node: "calls",
            rule: "wangiri",
            subject: "caller",
            key: "0099000001",
            at: "2026-01-05T08:09:55Z",
            score: 70,
            condition: "numbers 40 >= 40",
            file: "boston-10432.ber",
            record: 15,
            decision: "not-fraud",
          },
        ]
      : [],
    files_named: differs
      ? [
          { network_element: "msc-boston", file: "boston-10432.ber", differing: 11 },
          { network_element: "msc-new-york", file: "new-york-20931.ber", differing: 8 },
        ]
      : [],
    examples: differs
      ? [
          {
            network_element: "msc-boston",
            file: "boston-10432.ber",
            record: 17,
            offset: 4711,
            key: null,
            before: { what: "delivered", at: null, reason: null },
            after: { what: "delivered", at: null, reason: null },
            receivers: [
              {
                post_processing_system: "home-billing",
                change: "changed",
                fields: [
                  { field: "version", before: "8", after: "9" },
                  { field: "calledNumber", before: null, after: '"46701234567"' },
                ],
              },
            ],
          },
          {
            network_element: "msc-boston",
            file: "boston-10432.ber",
            record: 18,
            offset: 4900,
            key: null,
            before: { what: "delivered", at: null, reason: null },
            after: {
              what: "suspended",
              at: "home-v8",
              reason: "scripts/home_v8.dup:4:3: the assertion does not hold",
            },
            receivers: [{ post_processing_system: "home-billing", change: "only-before", fields: [] }],
          },
        ]
      : [],
  };
}

export const REPLAY_ROUTES: FakeRoute[] = [
  route("GET /api/replay", "viewer", (world) => {
    const known = replays.get(world);
    if (known === undefined) return ok({ replay: null, files_max: 1000 });
    known.asked += 1;
    if (known.replay.state === "running") {
      const files_done = Math.min(FILES, Math.floor(known.asked / 2));
      known.replay = { ...known.replay, files_done };
      if (files_done === FILES)
        known.replay = { ...known.replay, state: "done", ended: at(world), report: report(known.differs) };
    }
    return ok({ replay: known.replay, files_max: 1000 });
  }),
  route("POST /api/replay", "operator", (world, { body }, _, who) => {
    const known = replays.get(world);
    if (known?.replay.state === "running")
      return no(
        409,
        `${known.replay.who} tries a change since ${known.replay.began}: wait until that is done, or cancel it`,
      );
    const { files = [], network_elements = [], version = null, from = null, to = null } = body;
    if (files.some(({ text }) => text.includes("mistake")))
      return no(
        422,
        'what is to be tried has mistakes; the first is\n\nscripts/x.dup:1:1: there is no variable "mistake"',
      );
    const drafts = files.map(({ name }) => name);
    const replay: Replay = {
      id: (known?.replay.id ?? 0) + 1,
      state: "running",
      who,
      began: at(world),
      ended: null,
      version,
      drafts,
      network_elements,
      from,
      to,
      files_most: body.limit ?? 100,
      files: FILES,
      octets: 5_200_000,
      files_left_out: 4,
      files_gone: 0,
      files_done: 0,
      problem: null,
      cancelled_by: null,
      report: null,
    };
    const differs = files.some(({ text }) => text.includes("other"));
    replays.set(world, { replay, asked: 0, differs });
    note(
      world,
      who,
      "replay start",
      `${version === null ? drafts.join(", ") : `version ${version}`}, ${FILES} files`,
      "",
    );
    return ok({ replay, files_max: 1000 });
  }),
  route("DELETE /api/replay", "operator", (world, _, __, who) => {
    const known = replays.get(world);
    if (known?.replay.state !== "running") return no(409, "no replay runs");
    known.replay = { ...known.replay, state: "cancelled", ended: at(world), cancelled_by: who };
    note(world, who, "replay cancel", `begun by ${known.replay.who}`, "");
    return DONE;
  }),
];
