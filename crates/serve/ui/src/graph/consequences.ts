/** What an activation would change, in sentences. */
import type { Consequences } from "../api/types";
import { count } from "../parts/numbers";

type Verb = [one: string, many: string];

const REMOVED: Verb = ["is removed", "are removed"];
const ADDED: Verb = ["is added", "are added"];
const STOPS: Verb = ["stops being collected", "stop being collected"];
const NO_NODE: Verb = ["loses its node", "lose their node"];
const NO_RECEIVER: Verb = ["loses its receiver", "lose their receiver"];

/** Returns a sentence about a number of things, or none. */
const counted = (number: number, noun: string, [one, many]: Verb) =>
  number === 0 ? [] : [number === 1 ? `1 ${noun} ${one}` : `${count(number)} ${noun}s ${many}`];

const named = (names: string[], noun: string, verb: Verb) =>
  counted(names.length, noun, verb).map((sentence) => `${sentence}: ${names.join(", ")}`);

const sum = (numbers: number[]) => numbers.reduce((all, each) => all + each, 0);

/** Returns the sentences, those that lose something first. It is empty if nothing is added or removed. */
export function consequencesInWords(of: Consequences): string[] {
  const { nodes_removed: nodes, post_processing_systems_removed: receivers } = of;
  return [
    ...named(of.network_elements_removed, "network element", STOPS),
    ...named(
      nodes.map((each) => each.node),
      "node",
      REMOVED,
    ),
    ...counted(sum([...nodes, ...receivers].map((each) => each.suspended_records)), "suspended record", NO_NODE),
    ...counted(sum(nodes.map((each) => each.waiting_groups)), "waiting group", NO_NODE),
    ...named(
      receivers.map((each) => each.post_processing_system),
      "receiver",
      REMOVED,
    ),
    ...counted(sum(receivers.map((each) => each.undelivered_files)), "undelivered file", NO_RECEIVER),
    ...named(of.network_elements_added, "network element", ADDED),
    ...named(of.nodes_added, "node", ADDED),
    ...named(of.post_processing_systems_added, "receiver", ADDED),
  ];
}
