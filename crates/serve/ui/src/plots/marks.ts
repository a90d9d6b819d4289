/** What happened at a time of a plot: activations of versions, and alarms. */
import type { Alarm, Version } from "../api/types";
import type { Range } from "./range";

export interface Mark {
  /** In seconds since 1970. */
  at: number;
  kind: "version" | "alarm";
  text: string;
  href: string;
}

const seconds = (at: string) => Date.parse(at) / 1000;

/** Returns the marks, the earliest first. */
export function marksOf(versions: readonly Version[], alarms: readonly Alarm[]): Mark[] {
  return [
    ...versions.flatMap(({ version, remark, activated }) =>
      activated.map(({ at, who }): Mark => ({
        at: seconds(at),
        kind: "version",
        text: `version ${version} activated by ${who}${remark === "" ? "" : `: ${remark}`}`,
        href: "/graph",
      })),
    ),
    ...alarms.map(({ raised, kind, subject, text, cleared }): Mark => ({
      at: seconds(raised),
      kind: "alarm",
      text: `alarm ${kind} of ${subject}: ${text}`,
      href: cleared == null ? "/alarms" : "/alarms?all=true",
    })),
  ].sort((one, other) => one.at - other.at);
}

export const marksIn = (marks: readonly Mark[], { from, to }: Range) =>
  marks.filter(({ at }) => at >= from && at <= to);
