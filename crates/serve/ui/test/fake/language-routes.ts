/** Completion and hover in scripts, with a few names. */
import type { BodyOf } from "../../src/api/ask.ts";
import type { Became, NameDefinition, SampleRuns, ScriptCandidate, ScriptTests } from "../../src/api/types.ts";
import { type FakeRoute, no, ok, route } from "./answering.ts";

type Known = ScriptCandidate & { definitions: NameDefinition[] };

const known = (sort: Known["sort"], name: string, code: string, ...definitions: NameDefinition[]): Known => ({
  name,
  sort,
  code,
  text: "",
  definitions,
});
const ofModule = (line: number, defined: string): NameDefinition => ({ file: "asn1/msc.asn1", line, text: defined });

const FIELDS = [
  known("field", "recordType", "recordType RecordType", ofModule(12, "recordType           [0]  RecordType")),
  known("field", "callDuration", "callDuration INTEGER", ofModule(22, "callDuration         [10] INTEGER")),
];
const NAMES = [
  known("variable", "cdr", "cdr CONST CallDataRecord"),
  known("function", "isRoaming", "BOOLEAN isRoaming(cdr CONST CallDataRecord)"),
  known("word", "return", ""),
];

/** Splits the line of a place into the text before it and behind it. */
function around(body: BodyOf<"POST /api/hover/{file}">) {
  const { line, column } = body;
  const whole = body.text.split("\n")[line - 1] ?? "";
  return { line, column, before: whole.slice(0, column - 1), behind: whole.slice(column - 1) };
}

/** Runs the tests of a script: a test with the word "wrong" fails, and lines with the word "never" count as not run. */
function tested(lines: string[]): ScriptTests {
  const has = (word: string) => lines.flatMap((line, place) => (line.includes(word) ? [place + 1] : []));
  const tests = has('test "').map((line) => {
    const isWrong = lines[line - 1]!.includes("wrong");
    const name = /"(.*?)"/.exec(lines[line - 1]!)![1]!;
    return { name, line, result: isWrong ? "failed" : "passed", reason: isWrong ? "it is wrong" : null } as const;
  });
  return { tests, lines: lines.length, lines_not_run: has("never") };
}

/** The second record has a number that JavaScript cannot represent. */
const CAME = ['{"recordType":2,"callDuration":61}', '{"recordType":0,"callDuration":9007199254740993}'];

/**
 * Returns the result of a script for a record: a filter compares the record's type, a formatter sets a version, and
 * `assert FALSE` refuses the record.
 */
function became(script: string, came: string): Became {
  const nothing = { stream: null, records: [], problem: null };
  if (script.includes("assert FALSE")) return { ...nothing, problem: "assert FALSE does not hold" };
  const version = /version := (\d+)/.exec(script)?.[1];
  if (version !== undefined) return { ...nothing, records: [came.replace("{", `{"version":${version},`)] };
  const type = /recordType == (\d+)/.exec(script)?.[1] ?? "";
  return { ...nothing, stream: String(came.includes(`"recordType":${type},`)) };
}

function sampled(edited: string, now: string, isSuspense: boolean): SampleRuns {
  const isSame = edited === now;
  const records = CAME.map((came, place) => ({
    network_element: "msc-boston",
    file: "boston-10432.ber",
    record: place + 1,
    suspended: isSuspense ? 919 - place : null,
    came,
    edited: became(edited, came),
    now: isSame ? null : became(now, came),
  }));
  return { records, unknown_behind: [], edited_nanoseconds: 23.4, now_nanoseconds: isSame ? null : 119.7 };
}

export const LANGUAGE_ROUTES: FakeRoute[] = [
  route("POST /api/tests/{file}", "operator", (_, { body }) => ok(tested(body.text.split("\n")))),
  route("POST /api/samples/{file}", "operator", (world, { body }, { file }) => {
    const edited = body.text;
    if (edited.includes("retrun")) return no(422, `${file}:1:1: no function is named "retrun"`);
    return ok(sampled(edited, world.scripts[file] ?? "", body.from === "suspense"));
  }),
  route("POST /api/completion/{file}", "viewer", (_, { body }) => {
    const { line, column, before } = around(body);
    const word = /[\w]*$/.exec(before)![0];
    const all = before.slice(0, before.length - word.length).endsWith(".") ? FIELDS : NAMES;
    const candidates = all.map(({ definitions: _, ...candidate }) => candidate);
    return ok({ line, column: column - word.length, candidates });
  }),
  route("POST /api/hover/{file}", "viewer", (_, { body }) => {
    const { line, column, before, behind } = around(body);
    const [begun, rest] = [/[\w]*$/.exec(before)![0], /^[\w]*/.exec(behind)![0]];
    const found = [...FIELDS, ...NAMES].find((each) => each.name === begun + rest && each.sort !== "word");
    if (found === undefined) return ok({ name: null });
    const { code, text, definitions } = found;
    const place = { line, column: column - begun.length, end_line: line, end_column: column + rest.length };
    return ok({ name: { ...place, code, text, definitions } });
  }),
];
