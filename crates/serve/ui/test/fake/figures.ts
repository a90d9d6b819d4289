/** Figures that change each second. */
import type { EdgeFigures, Figures, Graph, GraphNode, Source } from "../../src/api/types.ts";
import type { World } from "./world.ts";

const SPANS = ["ten_seconds", "five_minutes", "today"] as const;

/** The counts of one window. */
interface Totals {
  elements: Record<string, Figures["elements"][string]["today"]>;
  nodes: Record<string, Figures["nodes"][string]["today"]>;
  systems: Record<string, Figures["systems"][string]["today"]>;
  edges: Record<string, number>;
}

/** What the fake keeps to compute windows: the sums so far, and those of some earlier seconds. */
interface Samples {
  graph: Graph;
  seconds: number;
  sums: Totals;
  /** Those of the last 10 seconds, and of each tenth of the last 300, the oldest first. */
  recent: Record<"ten_seconds" | "five_minutes", { second: number; sums: Totals }[]>;
}

const samplesOf = new WeakMap<Figures, Samples>();

export function firstFigures(graph: Graph, isEmpty: boolean, at: string): Figures {
  const figures: Figures = {
    at,
    seconds: { ten_seconds: 0, five_minutes: 0, today: 0 },
    elements: {},
    nodes: {},
    systems: {},
    threads: { all: 4, working: 0 },
    suspense_open: 0,
    alarms: { critical: 0, major: 0, minor: 0, warning: 0 },
    alarms_unacknowledged: { critical: 0, major: 0, minor: 0, warning: 0 },
    edges: [],
    journal_is_written: true,
    room: "free",
  };
  if (isEmpty) return figures;
  const sums: Totals = { elements: {}, nodes: {}, systems: {}, edges: {} };
  for (const { name, kind } of graph.nodes) {
    const outcomes = { in: 0, out: 0, filtered: 0, suspended: 0, held: 0, duplicate: 0 };
    if (kind === "network-element") sums.elements[name] = { files: 0, octets: 0, ...outcomes };
    else if (kind === "post-processing-system") sums.systems[name] = { in: 0, out: 0, suspended: 0, files: 0 };
    else sums.nodes[name] = { ...outcomes, made: 0 };
  }
  const start = [{ second: 0, sums: structuredClone(sums) }];
  samplesOf.set(figures, {
    graph,
    seconds: 0,
    sums,
    recent: { ten_seconds: [...start], five_minutes: [...start] },
  });
  show(figures, samplesOf.get(figures)!);
  return figures;
}

/** Advances a world by a second. The noise depends only on the second, so that two runs are equal. */
export function tick(world: World, second: number): void {
  const { figures } = world;
  figures.at = new Date(world.now()).toISOString().replace(/\.\d+Z/, "Z");
  figures.suspense_open = world.suspense.filter((each) => each.state === "open").length;
  figures.alarms = { critical: 0, major: 0, minor: 0, warning: 0 };
  figures.alarms_unacknowledged = { ...figures.alarms };
  for (const { severity, cleared, acknowledged } of world.alarms) {
    if (cleared != null || !(severity in figures.alarms)) continue;
    figures.alarms[severity as "major"] += 1;
    if (acknowledged == null) figures.alarms_unacknowledged[severity as "major"] += 1;
  }
  figures.threads.working = figures.elements["msc-boston"] === undefined ? 0 : 2 + (second % 3);
  const samples = samplesOf.get(figures);
  if (samples === undefined) return;
  count(samples, second);
  show(figures, samples);
  for (const [name, element] of Object.entries(figures.elements))
    element.waiting = name === "msc-boston" ? 38 + (second % 60) : 0;
  for (const [name, system] of Object.entries(figures.systems))
    system.waiting_deliveries = world.deliveries.filter(
      (each) => each.post_processing_system === name && each.state === "waiting",
    ).length;
}

/** Adds the records of a second. */
function count(samples: Samples, second: number): void {
  const { graph, sums } = samples;
  const wave = 1 + 0.25 * Math.sin(second / 9) + 0.05 * Math.sin(second * 2.3);
  const sent: Record<string, number> = {
    "msc-new-york": Math.round(41_300 * wave),
    "msc-boston": Math.round(18_700 * wave),
  };
  /** The records that left each node, by stream. */
  const left = new Map<string, Record<string, number>>();
  const leaves = (name: string, streams: Record<string, number>) => left.set(name, streams);
  let all = 0;
  for (const [name, element] of Object.entries(sums.elements)) {
    // In a large flow, each network element sends another number.
    const records = sent[name] ?? Math.round((3_000 + name.length * 700) * wave);
    const suspended = name === "msc-boston" && second % 7 === 0 ? 3 : 0;
    all += records;
    element.in += records;
    element.out += records - suspended;
    element.suspended += suspended;
    element.files += Math.round(records / 1_000);
    element.octets += records * 214;
    leaves(name, { "": records });
  }
  const billable = Math.round(all * 0.888);
  const roaming = Math.round(billable * 0.21);
  const through: Record<string, [number, Record<string, number>]> = {
    isBillable: [all, { true: billable, false: all - billable }],
    isRoaming: [billable, { true: roaming, false: billable - roaming }],
    "roaming-v8": [roaming, { "": roaming - (second % 7 === 0 ? 3 : 0) }],
    "home-v5": [billable - roaming, { "": billable - roaming }],
    unbilled: [all - billable, { "": all - billable }],
  };
  for (const [name, node] of Object.entries(sums.nodes)) {
    const [records, streams] = through[name] ?? [Math.round(900 * wave), { true: Math.round(800 * wave), false: 100 }];
    const suspended = name === "roaming-v8" && second % 7 === 0 ? 3 : 0;
    node.in += records;
    node.out += records - suspended;
    node.suspended += suspended;
    leaves(name, streams);
  }
  const byName = new Map(graph.nodes.map((node) => [node.name, node]));
  for (const to of graph.nodes)
    for (const from of to.from) {
      const source = byName.get(from.node);
      if (source === undefined) continue;
      const stream = streamOf(source, from.stream);
      const streams = left.get(source.name) ?? {};
      const records = streams[stream] ?? Object.values(streams)[0] ?? 0;
      const key = JSON.stringify([source.name, stream, to.name]);
      sums.edges[key] = (sums.edges[key] ?? 0) + records;
      const system = sums.systems[to.name];
      if (system === undefined) continue;
      system.in += records;
      system.out += records;
      system.files += Math.round(records / 870);
    }
  samples.seconds += 1;
  keep(samples, "ten_seconds", 1, 10);
  keep(samples, "five_minutes", 10, 300);
}

const streamOf = (source: GraphNode, stream: Source["stream"]) => stream ?? (source.kind === "filter" ? "true" : "");

function keep({ recent, seconds, sums }: Samples, span: keyof Samples["recent"], every: number, length: number): void {
  const kept = recent[span];
  if (seconds % every === 0) kept.push({ second: seconds, sums: structuredClone(sums) });
  while (kept.length > 1 && kept[1]!.second <= seconds - length) kept.shift();
}

/** Writes the counts of all windows into the figures. */
function show(figures: Figures, { seconds, sums, recent }: Samples): void {
  const none: Totals = { elements: {}, nodes: {}, systems: {}, edges: {} };
  const before = {
    ten_seconds: recent.ten_seconds[0]!,
    five_minutes: recent.five_minutes[0]!,
    today: { second: 0, sums: none },
  };
  for (const span of SPANS) figures.seconds[span] = seconds - before[span].second;
  const since = <T extends object>(part: "elements" | "nodes" | "systems", name: string, now: T) => {
    const of = (span: (typeof SPANS)[number]): T => {
      const earlier = (before[span].sums[part][name] ?? {}) as Record<string, number>;
      return Object.fromEntries(Object.entries(now).map(([each, total]) => [each, total - (earlier[each] ?? 0)])) as T;
    };
    return { ten_seconds: of("ten_seconds"), five_minutes: of("five_minutes"), today: of("today") };
  };
  for (const [name, now] of Object.entries(sums.elements))
    figures.elements[name] = { waiting: 0, ...since("elements", name, now) };
  for (const [name, now] of Object.entries(sums.nodes)) figures.nodes[name] = since("nodes", name, now);
  for (const [name, now] of Object.entries(sums.systems))
    figures.systems[name] = { waiting_deliveries: 0, ...since("systems", name, now) };
  figures.edges = Object.entries(sums.edges).map(([key, total]): EdgeFigures => {
    const [from, stream, to] = JSON.parse(key) as [string, string, string];
    const of = (span: (typeof SPANS)[number]) => total - (before[span].sums.edges[key] ?? 0);
    return { from, stream, to, ten_seconds: of("ten_seconds"), five_minutes: of("five_minutes"), today: of("today") };
  });
}
