/** Figures that change each second. */
import type { Figures, Graph } from "../../src/api/types.ts";
import type { World } from "./world.ts";

const OUTCOMES = { delivered: 0, filtered: 0, held: 0, suspended: 0, duplicate: 0 };

export function firstFigures(graph: Graph, isEmpty: boolean, at: string): Figures {
  const figures: Figures = {
    at,
    seconds: 1,
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
  for (const { name, kind } of graph.nodes) {
    if (kind === "network-element")
      figures.elements[name] = { files: 0, records: 0, waiting: 0, octets: 0, outcomes: { ...OUTCOMES } };
    else if (kind === "post-processing-system") figures.systems[name] = { records: 0, files: 0, waiting_deliveries: 0 };
    else figures.nodes[name] = { records: 0, outcomes: {}, made: 0, streams: {} };
  }
  const set = figures.nodes;
  if (set.isBillable) set.isBillable.streams = { true: 0, false: 0 };
  if (set.isRoaming) set.isRoaming.streams = { true: 0, false: 0 };
  return figures;
}

/** Advances a world by a second. The noise depends only on the second, so that two runs are equal. */
export function tick(world: World, second: number): void {
  const { figures } = world;
  const wave = 1 + 0.25 * Math.sin(second / 9) + 0.05 * Math.sin(second * 2.3);
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
  const sent: Record<string, number> = {
    "msc-new-york": Math.round(41_300 * wave),
    "msc-boston": Math.round(18_700 * wave),
  };
  let all = 0;
  for (const [name, element] of Object.entries(figures.elements)) {
    // In a large flow, each network element sends another number.
    const records = sent[name] ?? Math.round((3_000 + name.length * 700) * wave);
    all += records;
    element.records += records;
    element.files += Math.round(records / 1_000);
    element.octets += records * 214;
    element.outcomes.delivered = (element.outcomes.delivered ?? 0) + records;
    if (name === "msc-boston" && second % 7 === 0) element.outcomes.suspended = (element.outcomes.suspended ?? 0) + 3;
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
    const [records, streams] = through[name] ?? [Math.round(900 * wave), { true: Math.round(800 * wave), false: 100 }];
    node.records += records;
    node.made += records;
    for (const [stream, many] of Object.entries(streams)) node.streams[stream] = (node.streams[stream] ?? 0) + many;
    if (name === "roaming-v8") node.outcomes.suspended = 19 + Math.floor(second / 7) * 3;
  }
  const given: Record<string, number> = {
    "roaming-billing": roaming,
    "home-billing": billable - roaming,
    statistics: all - billable,
  };
  for (const [name, system] of Object.entries(figures.systems)) {
    system.records += given[name] ?? Math.round(800 * wave);
    system.files += Math.round((given[name] ?? 0) / 870);
    system.waiting_deliveries = world.deliveries.filter(
      (each) => each.post_processing_system === name && each.state === "waiting",
    ).length;
  }
}
