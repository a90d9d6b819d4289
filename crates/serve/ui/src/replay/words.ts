/** Texts about a replay and its results. */
import type { Replay, ReplayOutcome, ReplayDifference, ReplayReport } from "../api/types";
import { count, counted } from "../parts/numbers";

export const nameOf = (draft: string) => (draft === "" ? "the flow file" : draft);

/** Describes the change. */
export function triedOf({ version, drafts }: Pick<Replay, "version" | "drafts">): string {
  if (version != null) return `Version ${version}`;
  const names = drafts.map(nameOf);
  return names.length === 1 ? `The draft of ${names[0]}` : `Drafts of ${names.join(", ")}`;
}

/** Describes the files. */
export function filesOf({ files, network_elements, files_left_out, files_gone }: Replay): string {
  const from = network_elements.length === 0 ? "" : ` of ${network_elements.join(", ")}`;
  const said = [
    ...(files_left_out === 0 ? [] : [`the last of ${count(files + files_left_out + files_gone)} that came then`]),
    ...(files_gone === 0 ? [] : [`${count(files_gone)} ${files_gone === 1 ? "is" : "are"} not there any more`]),
  ];
  return `${counted(files, "file")}${from}${said.length === 0 ? "" : ` (${said.join("; ")})`}`;
}

/** Summarizes the report. */
export function summaryOf(report: ReplayReport): string {
  const { differs, files, files_differing, differing, groups_differing, counts } = report;
  const records = counts.find(({ what }) => what === "records")?.before ?? 0;
  if (!differs) return `Nothing would change: ${counted(files, "file")}, ${counted(records, "record")}.`;
  if (differing + groups_differing + files_differing === 0) {
    return `Rules would find others; nothing else would change: ${counted(files, "file")}, ${counted(records, "record")}.`;
  }
  const groups = groups_differing === 0 ? "" : `, and of ${counted(groups_differing, "group")}`;
  const of = `of ${count(differing)} of ${counted(records, "record")}${groups}`;
  return `Something else would become ${of}, in ${count(files_differing)} of ${counted(files, "file")}.`;
}

export function became(what: ReplayOutcome | null | undefined): string {
  if (what == null) return "not there";
  return what.at == null || what.at === "" ? what.what : `${what.what} at ${what.at}`;
}

const CHANGES: { [change in ReplayDifference["change"]]: string } = {
  "only-before": "gets it no more",
  "only-after": "gets it only then",
  changed: "gets another",
};

export const changeOf = ({ change, fields }: ReplayDifference) =>
  change === "changed" && fields.length === 0 ? "gets it written otherwise" : CHANGES[change];

/** Formats a difference: `+2`, `−17`. It is exact for any size. */
export function difference(before: string | number, after: string | number): string {
  const by = BigInt(after) - BigInt(before);
  if (by === 0n) return "0";
  return by > 0n ? `+${count(by)}` : `−${count(-by)}`;
}

/** Moves the rows that differ to the front, and keeps the order otherwise. */
export function differingFirst<T>(rows: readonly T[], differs: (row: T) => boolean): T[] {
  return [...rows.filter(differs), ...rows.filter((row) => !differs(row))];
}
