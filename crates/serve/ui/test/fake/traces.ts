/** The ways of records. */
import type { AnswerOf } from "../../src/api/ask.ts";
import type { DoneFile, Traced } from "../../src/api/types.ts";
import { type Answer, type Params, no, ok } from "./answering.ts";
import type { World } from "./world.ts";

export function way(file: DoneFile, record: number): Traced {
  return {
    network_element: file.network_element,
    file: file.file,
    record,
    offset: record * 214,
    done: file.done,
    job: file.job,
    retried: false,
    way: [
      { passed: { node: "isBillable", stream: "true" } },
      { passed: { node: "isRoaming", stream: "false" } },
      { passed: { node: "home-v5", stream: "" } },
      { written: { system: "home-billing" } },
    ],
    outputs: [
      {
        post_processing_system: "home-billing",
        file: `out/home/${file.network_element}-${file.file}`,
        record: 19,
        offset: 3_402,
        octets: 178,
      },
    ],
    suspense: [],
    group: [],
    later: [],
  };
}

/** Returns records that match an expression: the first of each file, five in an answer. */
export function found(world: World, query: Params<"where" | "file" | "after">): Answer<AnswerOf<"GET /api/trace">> {
  if (!(query.get("where") ?? "").includes("record.")) return no(422, 'There is no variable "call".');
  const begin = (query.get("file") ?? "").replace(/\*$/, "");
  const files = world.files.filter((file) => file.file.startsWith(begin));
  const first = Number(query.get("after") ?? 0);
  const rest = files.slice(first, first + 5);
  const next = first + 5 < files.length ? String(first + 5) : null;
  const looked = { files: rest.length, records: 1_000 * rest.length, next, problems: [], problems_more: 0 };
  return ok({ traced: rest.map((file) => way(file, 7)), looked });
}
