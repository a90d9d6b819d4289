/** Texts about groups. */
import type { GroupChoice } from "../api/gateway";
import type { GroupEnd, GroupsEnded, MatchingGroup } from "../api/types";
import { counted } from "../parts/numbers";

/** Returns the state of a group. A group that an operator asked to end still waits until the gateway's next check. */
export const standOf = ({ release }: MatchingGroup): string =>
  release == null ? "waits" : release === "complete" ? "complete" : release === "expired" ? "released" : release;

export const ENDS: { end: GroupEnd; word: string; busyWord: string; means: string }[] = [
  {
    end: "release",
    word: "Release",
    busyWord: "Releasing…",
    means:
      "What there is of them goes on now, through the flow as its files are, though their time is not over. What somebody refuses goes to suspense.",
  },
  {
    end: "suspend",
    word: "Suspend",
    busyWord: "Suspending…",
    means: "Their records go to suspense. Retried, they come back to their node, and wait again.",
  },
  {
    end: "drop",
    word: "Drop",
    busyWord: "Dropping…",
    means: "Their records are given up: no receiver gets them. The audit counts them as dropped.",
  },
];

/** Describes how groups ended. Zeros are omitted. */
export function endedInWords(ended: GroupsEnded): string {
  const parts = (
    [
      ["released", "released"],
      ["suspended", "in suspense"],
      ["dropped", "dropped"],
      ["completed", "complete just then"],
      ["waiting", "ended as soon as the gateway can"],
    ] as const
  )
    .filter(([of]) => ended[of] > 0)
    .map(([of, word]) => `${ended[of].toLocaleString("en")} ${word}`);
  const all = `${counted(ended.groups, "group")} of ${counted(ended.records, "record")}: ${parts.join(", ")}.`;
  const refused = ended.refused[0];
  return [
    all,
    ...(refused === undefined
      ? []
      : [`${refused.refused_by ?? refused.node} refused ${refused.key}: ${refused.reason}.`]),
    ...(ended.more ? ["More fit: that is as many as are ended at once."] : []),
    ...ended.problems,
  ].join(" ");
}

/** Describes the selected groups, for a title. */
export function chosenInWords(choice: GroupChoice, many: number): string {
  if ("ids" in choice) return counted(many, "group");
  const of = choice.key === undefined ? "" : ` of ${choice.key}`;
  return `${many === 1 ? "the group" : `all ${counted(many, "group")}`}${of} in ${choice.node}`;
}
