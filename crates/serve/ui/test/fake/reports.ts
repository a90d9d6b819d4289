/** The reports of the gateway and its journal: history, threads, audit, sequences. */
import type { AnswerOf } from "../../src/api/ask.ts";
import type { Balance, History } from "../../src/api/types.ts";
import { minutes } from "./time.ts";
import type { World } from "./world.ts";

type Count = AnswerOf<"GET /api/audit">["counts"][number];
type Line = AnswerOf<"GET /api/sequences">["lines"][number];

export function history(world: World, many: number): History {
  const step = Math.max(1, Math.ceil((many * 60) / 1_440));
  const now = Math.floor(world.now() / 1000 / step) * step;
  const at = Array.from(
    { length: Math.floor((many * 60) / step) },
    (_, place) => now - ((many * 60) / step - 1 - place) * step,
  );
  const isEmpty = world.files.length === 0;
  const wave = (time: number) => (isEmpty ? 0 : 60_000 * (1 + 0.3 * Math.sin(time / 700) + 0.06 * Math.sin(time / 23)));
  return {
    step_seconds: step,
    at,
    records: at.map((time) => Math.round(wave(time))),
    octets: at.map((time) => Math.round(wave(time) * 214)),
    suspended: at.map((time) => (isEmpty ? 0 : Math.max(0, 4 * Math.sin(time / 300)))),
    delay_seconds: at.map((time) => (isEmpty ? null : 2.2 + 1.4 * Math.sin(time / 500) ** 2)),
  };
}

export function balance(world: World): Balance {
  const before = (seconds: number) => new Date(world.now() - seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
  return {
    processors: 4,
    groups: [
      {
        name: "capital",
        network_elements: ["msc-new-york"],
        own: { processes: 2, threads: 1 },
        priority: null,
        weight: null,
      },
      { name: null, network_elements: ["msc-boston"], own: null, priority: 0, weight: 1 },
    ],
    common: { processes: 0, threads: 5 },
    is_found: true,
    delivering: {
      threads: 3,
      groups: [
        { name: "billing", post_processing_systems: ["home-billing"], threads: 2, priority: null, weight: null },
        {
          name: null,
          post_processing_systems: ["roaming-billing", "statistics"],
          threads: null,
          priority: 0,
          weight: 1,
        },
      ],
    },
    decisions: [
      {
        at: before(60),
        what: "files are processed by 5 threads now",
        why: "processors are used 71 %: perhaps the rest waits for disks",
      },
      { at: before(90), what: "files are processed by 4 threads", why: "as many as processors, to begin with" },
    ],
  };
}

export function audit(world: World, element: string | null): AnswerOf<"GET /api/audit"> {
  const count = (network_element: string, node: string | null, some: Partial<Count>): Count => ({
    day: null,
    network_element,
    file: null,
    retried: false,
    node,
    is_system: false,
    files: 0,
    duplicate_files: 0,
    records: 0,
    delivered: 0,
    filtered: 0,
    held: 0,
    waiting: 0,
    dropped: 0,
    suspended: 0,
    duplicate: 0,
    made: 0,
    open: 0,
    discarded: 0,
    ...some,
  });
  const counts = [
    count("msc-boston", null, {
      files: 433,
      records: 433_000,
      delivered: 384_479,
      filtered: 48_496,
      suspended: 25,
      open: 22,
      discarded: 3,
    }),
    count("msc-boston", "isBillable", { records: 432_997, delivered: 384_501, filtered: 48_496 }),
    count("msc-boston", "roaming-billing", { records: 80_745, delivered: 80_745, is_system: true }),
    count("msc-boston", "home-billing", { records: 303_734, delivered: 303_734, is_system: true }),
    count("msc-new-york", null, {
      files: 912,
      records: 912_000,
      delivered: 809_850,
      filtered: 102_144,
      suspended: 6,
      open: 6,
    }),
    count("msc-new-york", "isBillable", { records: 912_000, delivered: 809_856, filtered: 102_144 }),
  ].filter((each) => element === null || each.network_element === element);
  const amount = (side: string, sum: number) => ({
    day: null,
    network_element: "msc-boston",
    file: null,
    retried: false,
    system: null,
    side,
    name: "seconds",
    sum,
    records: 433_000,
  });
  return {
    flow: "flow.toml",
    as_of: minutes(world.now(), 0),
    counts: world.files.length === 0 ? [] : counts,
    amounts:
      world.files.length === 0
        ? []
        : [amount("delivered", 23_117_930), amount("filtered", 0), amount("suspended", 1_525)],
    in_work: world.files.length === 0 ? 0 : 2,
    gathered: [],
    not_taken: world.files.length === 0 ? [] : ["msc-boston: 1 file set aside, since it cannot be unpacked"],
    forgotten: null,
    differences:
      world.files.length === 0
        ? []
        : [
            {
              day: null,
              network_element: "msc-boston",
              file: "boston-10411.ber",
              node: "home-billing",
              text: "1,000 records came in, 999 are accounted for",
            },
          ],
  };
}

export function sequences(world: World): AnswerOf<"GET /api/sequences"> {
  const line = (
    network_element: string,
    what: Line["what"],
    first: number | null,
    last: number | null,
    count: number,
    some: Partial<Line> = {},
  ): Line => ({
    network_element,
    of: "file",
    series: "",
    what,
    first,
    last,
    count,
    at: null,
    until: null,
    file: null,
    note: null,
    ...some,
  });
  return {
    flow: "flow.toml",
    from: null,
    to: null,
    as_of: minutes(world.now(), 0),
    not_yet: 0,
    lines:
      world.files.length === 0
        ? []
        : [
            ...(world.lost === null ? [] : [line("msc-boston", "accepted", 10_417, 10_419, 3, { note: world.lost })]),
            line("msc-boston", "expected", 10_000, 10_432, 433),
            line("msc-boston", "received", null, null, 428),
            ...(world.lost !== null
              ? []
              : [
                  line("msc-boston", "missing", 10_417, 10_419, 3, {
                    at: minutes(world.now(), 52),
                    file: "boston-10420.ber",
                  }),
                ]),
            line("msc-boston", "accepted", 10_102, 10_103, 2, { note: "otto: disk failure of 12 May" }),
            line("msc-new-york", "expected", 7_900, 8_830, 931),
            line("msc-new-york", "received", null, null, 931),
            line("msc-new-york", "late", 8_101, 8_101, 1, {
              at: minutes(world.now(), 900),
              until: minutes(world.now(), 880),
              file: "ny-8101.ber",
            }),
          ],
    sha256: "5f0c4c1f0b7f6f6c7b3a1c2d9e8f00112233445566778899aabbccddeeff0011",
  };
}
