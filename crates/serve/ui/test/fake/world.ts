/** What the fake gateway knows: people, versions, alarms, records in suspense, and figures that move each second. */
import type {
  Alarm, AuditCount, AuditReport, Delivery, DoneFile, Figures, Graph, History, Person, Role, SequenceReport,
  SuspenseRecord, Token, TrailEntry, Version,
} from "../../src/api/types.ts";
import { FLOW, SCRIPTS } from "./example.ts";
import { graphOf } from "./flow-file.ts";

export const PASSWORD = "a long enough password";

export interface World {
  now: () => number;
  people: (Person & { password: string | null; link: string | null })[];
  tokens: Token[];
  sessions: Map<string, { name: string; csrf: string }>;
  text: string;
  running: Graph;
  scripts: Record<string, string>;
  versions: (Version & { text: string })[];
  alarms: Alarm[];
  suspense: (SuspenseRecord & { json: string | null })[];
  files: DoneFile[];
  deliveries: Delivery[];
  trail: TrailEntry[];
  figures: Figures;
}

const minutes = (now: number, many: number) => new Date(now - many * 60_000).toISOString().replace(/\.\d+Z/, "Z");

export function world(isEmpty: boolean, now: () => number = Date.now): World {
  const at = (many: number) => minutes(now(), many);
  const person = (name: string, role: Role, password: string | null, link: string | null) => ({
    name, role, since: at(60 * 24 * 40), last_login: password === null ? null : at(63), invited: password === null, password, link,
  });
  const text = isEmpty ? '# A flow begins here.\n\n[asn1]\nmodules = ["asn1/msc.asn1", "asn1/billing.asn1"]\n' : FLOW;
  const graph = graphOf(text);
  return {
    now,
    people: [
      person("anna", "administrator", PASSWORD, null),
      person("otto", "operator", PASSWORD, null),
      person("vera", "viewer", PASSWORD, null),
      ...(isEmpty ? [] : [person("nils", "operator", null, "invited-nils")]),
    ],
    tokens: isEmpty ? [] : [{ id: 1, name: "prometheus", role: "viewer", since: at(60 * 24 * 12), last_used: at(1) }],
    sessions: new Map(),
    text,
    running: graph,
    scripts: isEmpty ? {} : { ...SCRIPTS },
    versions: isEmpty ? [] : versions(at, text),
    alarms: isEmpty ? [] : alarms(at),
    suspense: isEmpty ? [] : suspense(at),
    files: isEmpty ? [] : files(at),
    deliveries: isEmpty ? [] : deliveries(at),
    trail: isEmpty ? [] : trail(at),
    figures: firstFigures(graph, isEmpty, at(0)),
  };
}

type At = (minutes: number) => string;

function versions(at: At, text: string): World["versions"] {
  const older = text.replace("home-v5", "home-v4").replace('"home-v5"', '"home-v4"').replace("home_v5", "home_v4");
  return [
    { version: 1, at: at(60 * 24 * 30), who: "anna", remark: "Begun", active: false, activated: [{ at: at(60 * 24 * 30), who: "anna" }], text: older },
    { version: 2, at: at(60 * 24 * 3), who: "otto", remark: "Home billing takes version 5", active: true, activated: [{ at: at(60 * 24 * 3 - 4), who: "otto" }], text },
    { version: 3, at: at(95), who: "otto", remark: "Try: statistics as JSON", active: false, activated: [], text: text.replace('codec = "csv"', 'codec = "json"').replace("{stem}.csv", "{stem}.json") },
  ];
}

function alarms(at: At): Alarm[] {
  const alarm = (id: number, kind: string, severity: Alarm["severity"], subject: string, text: string, raised: string): Alarm => ({
    id, kind, subject, text, raised, cleared: null, severity, event_type: "processing-error", probable_cause: "software-error", acknowledged: null,
  });
  return [
    alarm(41, "sequence-gap", "major", "msc-boston", "3 files are missing: 10417 to 10419", at(52)),
    alarm(43, "files-waiting", "major", "msc-boston", "a file waits for 12 minutes: boston-10433.ber is still written to", at(12)),
    { ...alarm(38, "rejects", "minor", "msc-new-york", "27 of 1,000 records of ny-08812.ber were set aside; 2 are usual", at(184)), acknowledged: { who: "otto", at: at(170), remark: "The exchange is told; they send anew tomorrow." } },
    { ...alarm(35, "silent", "cleared", "msc-boston", "nothing came for an hour", at(700)), cleared: at(640) },
  ];
}

const REASONS: [string, string, string, number][] = [
  ["msc-boston", "roaming-v8", "scripts/roaming_v8.dup:5: the assertion is not fulfilled: present(in.details.roaming)", 19],
  ["msc-new-york", "home-v5", "scripts/home_v5.dup:6: \"servedIMSI\" is not there", 6],
  ["msc-boston", "", "the length at octet 14 goes beyond the record", 3],
];

function suspense(at: At): World["suspense"] {
  let id = 900;
  return REASONS.flatMap(([network_element, node, reason, many]) =>
    Array.from({ length: many }, (_, place) => {
      id += 1;
      return {
        id,
        why: "suspended",
        since: at(5 + place * 3),
        network_element,
        file: network_element === "msc-boston" ? `boston-${10_420 + place}.ber` : `ny-${8_800 + place}.ber`,
        record: 31 + place * 17,
        offset: 4_096 + place * 211,
        node,
        reason,
        state: "open",
        asked: false,
        edited: false,
        retries: place === 0 ? 1 : 0,
        json: node === "" ? null : json(place),
      };
    }),
  );
}

/** The reference is a number that JavaScript has no room for. */
const json = (place: number) =>
  `{"recordType":2,"servedIMSI":"24001700000${10 + place}","callingNumber":"4670123456${place}","calledNumber":"4670765432${place}",` +
  `"answerTime":"2026-11-21T13:0${place % 10}:11Z","callDuration":61,"causeForTermination":0,"callReference":9007199254740993123,` +
  `"isTransferred":false,"services":[{"code":17,"name":"telephony"}],"details":{"roaming":null}}`;

function files(at: At): DoneFile[] {
  return Array.from({ length: 130 }, (_, place): DoneFile => {
    const isBoston = place % 2 === 0;
    const suspended = place % 9 === 0 ? 3 : 0;
    return {
      job: 5_000 - place,
      network_element: isBoston ? "msc-boston" : "msc-new-york",
      file: isBoston ? `boston-${10_432 - place}.ber` : `ny-${8_830 - place}.ber`,
      done: at(place * 2 + 1),
      records: 1_000,
      delivered: 1_000 - 112 - suspended,
      filtered: 112,
      held: 0,
      suspended,
      duplicate: 0,
      octets: 214_000 + place * 131,
    };
  });
}

function deliveries(at: At): Delivery[] {
  const delivery = (id: number, system: string, file: string, state: string, minutes: number, failures = 0, problem: string | null = null): Delivery => ({
    id, post_processing_system: system, file, records: 870, state, since: at(minutes), failures, problem, lies: state === "delivered" ? null : `flow.state/out/${system}/${file}`,
  });
  return [
    delivery(311, "roaming-billing", "msc-boston-boston-10432.ber", "waiting", 2),
    delivery(310, "roaming-billing", "msc-boston-boston-10430.ber", "waiting", 6, 4, "the machine refuses the connection; it is tried again in 40 seconds"),
    delivery(288, "home-billing", "msc-new-york-ny-8801.ber", "given-up", 190, 12, "a file of that name with other contents is there"),
    ...Array.from({ length: 12 }, (_, place) => delivery(287 - place, "home-billing", `msc-new-york-ny-${8_800 - place}.ber`, "delivered", 200 + place * 4)),
  ];
}

function trail(at: At): TrailEntry[] {
  const entry = (id: number, minutes: number, who: string, action: string, subject: string, reason = "", before: string | null = null, after: string | null = null): TrailEntry => ({
    id, at: at(minutes), who, action, subject, reason, before, after,
  });
  return [
    entry(77, 95, "otto", "flow save", "version 3", "Try: statistics as JSON"),
    entry(76, 170, "otto", "alarms acknowledge", "38", "The exchange is told; they send anew tomorrow."),
    entry(75, 1_500, "anna", "suspense edit", "record 871", "the exchange sent it anew", '{"callDuration":0}', '{"callDuration":61}'),
    entry(74, 4_316, "otto", "flow activate", "version 2", "Home billing takes version 5"),
  ];
}

const OUTCOMES = { delivered: 0, filtered: 0, held: 0, suspended: 0, duplicate: 0 };

function firstFigures(graph: Graph, isEmpty: boolean, at: string): Figures {
  const figures: Figures = {
    at, seconds: 1, elements: {}, nodes: {}, systems: {}, threads: { all: 4, working: 0 }, suspense_open: 0,
    alarms: { critical: 0, major: 0, minor: 0, warning: 0 }, journal_is_written: true, room: "free",
  };
  if (isEmpty) return figures;
  for (const { name, kind } of graph.nodes) {
    if (kind === "network-element") figures.elements[name] = { files: 0, records: 0, waiting: 0, octets: 0, outcomes: { ...OUTCOMES } };
    else if (kind === "post-processing-system") figures.systems[name] = { records: 0, files: 0, waiting_deliveries: 0 };
    else figures.nodes[name] = { records: 0, outcomes: {}, made: 0, streams: {} };
  }
  const set = figures.nodes;
  if (set.isBillable) set.isBillable.streams = { true: 0, false: 0 };
  if (set.isRoaming) set.isRoaming.streams = { true: 0, false: 0 };
  return figures;
}

/** What was a second later. Noise is of the second alone, so that two runs are alike. */
export function tick(world: World, second: number): void {
  const { figures } = world;
  const wave = 1 + 0.25 * Math.sin(second / 9) + 0.05 * Math.sin(second * 2.3);
  figures.at = new Date(world.now()).toISOString().replace(/\.\d+Z/, "Z");
  figures.suspense_open = world.suspense.filter((each) => each.state === "open").length;
  figures.alarms = { critical: 0, major: 0, minor: 0, warning: 0 };
  for (const { severity, cleared } of world.alarms) if (cleared === null && severity in figures.alarms) figures.alarms[severity as "major"] += 1;
  figures.threads.working = figures.elements["msc-boston"] === undefined ? 0 : 2 + (second % 3);
  const sent: Record<string, number> = { "msc-new-york": Math.round(41_300 * wave), "msc-boston": Math.round(18_700 * wave) };
  let all = 0;
  for (const [name, element] of Object.entries(figures.elements)) {
    const records = sent[name] ?? 0;
    all += records;
    element.records += records;
    element.files += Math.round(records / 1_000);
    element.octets += records * 214;
    element.outcomes.delivered += records;
    element.outcomes.suspended += name === "msc-boston" && second % 7 === 0 ? 3 : 0;
    element.waiting = name === "msc-boston" ? 38 + (second % 60) : 0;
  }
  const billable = Math.round(all * 0.888);
  const roaming = Math.round(billable * 0.21);
  const through: Record<string, [number, Record<string, number>]> = {
    isBillable: [all, { true: billable, false: all - billable }],
    isRoaming: [billable, { true: roaming, false: billable - roaming }],
    "roaming-v8": [roaming, {}],
    "home-v5": [billable - roaming, {}],
    unbilled: [all - billable, {}],
  };
  for (const [name, node] of Object.entries(figures.nodes)) {
    const [records, streams] = through[name] ?? [0, {}];
    node.records += records;
    node.made += records;
    for (const [stream, many] of Object.entries(streams)) node.streams[stream] = (node.streams[stream] ?? 0) + many;
    if (name === "roaming-v8") node.outcomes.suspended = 19 + Math.floor(second / 7) * 3;
  }
  const given: Record<string, number> = { "roaming-billing": roaming, "home-billing": billable - roaming, statistics: all - billable };
  for (const [name, system] of Object.entries(figures.systems)) {
    system.records += given[name] ?? 0;
    system.files += Math.round((given[name] ?? 0) / 870);
    system.waiting_deliveries = world.deliveries.filter((each) => each.post_processing_system === name && each.state === "waiting").length;
  }
}

export function history(world: World, many: number): History {
  const step = Math.max(1, Math.round(many / 6));
  const now = Math.floor(world.now() / 1000 / step) * step;
  const at = Array.from({ length: Math.floor((many * 60) / step) }, (_, place) => now - ((many * 60) / step - 1 - place) * step);
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

export function audit(world: World, element: string | null): AuditReport {
  const count = (network_element: string, node: string | null, some: Partial<AuditCount>): AuditCount => ({
    day: null, network_element, file: null, retried: false, node, is_system: false, files: 0, duplicate_files: 0, records: 0,
    delivered: 0, filtered: 0, held: 0, waiting: 0, dropped: 0, suspended: 0, duplicate: 0, made: 0, open: 0, discarded: 0, ...some,
  });
  const counts = [
    count("msc-boston", null, { files: 433, records: 433_000, delivered: 384_479, filtered: 48_496, suspended: 25, open: 22, discarded: 3 }),
    count("msc-boston", "isBillable", { records: 432_997, delivered: 384_501, filtered: 48_496 }),
    count("msc-boston", "roaming-billing", { records: 80_745, delivered: 80_745, is_system: true }),
    count("msc-boston", "home-billing", { records: 303_734, delivered: 303_734, is_system: true }),
    count("msc-new-york", null, { files: 912, records: 912_000, delivered: 809_850, filtered: 102_144, suspended: 6, open: 6 }),
    count("msc-new-york", "isBillable", { records: 912_000, delivered: 809_856, filtered: 102_144 }),
  ].filter((each) => element === null || each.network_element === element);
  const amount = (side: string, sum: number) => ({ day: null, network_element: "msc-boston", file: null, retried: false, system: null, side, name: "seconds", sum, records: 433_000 });
  return {
    flow: "flow.toml",
    as_of: minutes(world.now(), 0),
    counts: world.files.length === 0 ? [] : counts,
    amounts: world.files.length === 0 ? [] : [amount("delivered", 23_117_930), amount("filtered", 0), amount("suspended", 1_525)],
    in_work: world.files.length === 0 ? 0 : 2,
    forgotten: null,
    differences: world.files.length === 0 ? [] : [
      { day: null, network_element: "msc-boston", file: "boston-10411.ber", node: "home-billing", text: "1,000 records came in, 999 are accounted for" },
    ],
  };
}

export function sequences(world: World): SequenceReport {
  const line = (network_element: string, what: string, first: number | null, last: number | null, count: number, some = {}) => ({
    network_element, of: "file", series: "", what, first, last, count, at: null, until: null, file: null, note: null, ...some,
  });
  return {
    flow: "flow.toml", from: null, to: null, as_of: minutes(world.now(), 0), not_yet: 0,
    lines: world.files.length === 0 ? [] : [
      line("msc-boston", "expected", 10_000, 10_432, 433),
      line("msc-boston", "received", null, null, 428),
      line("msc-boston", "missing", 10_417, 10_419, 3, { at: minutes(world.now(), 52), file: "boston-10420.ber" }),
      line("msc-boston", "accepted", 10_102, 10_103, 2, { note: "otto: disk failure of 12 May" }),
      line("msc-new-york", "expected", 7_900, 8_830, 931),
      line("msc-new-york", "received", null, null, 931),
      line("msc-new-york", "late", 8_101, 8_101, 1, { at: minutes(world.now(), 900), until: minutes(world.now(), 880), file: "ny-8101.ber" }),
    ],
    sha256: "5f0c4c1f0b7f6f6c7b3a1c2d9e8f00112233445566778899aabbccddeeff0011",
  };
}
