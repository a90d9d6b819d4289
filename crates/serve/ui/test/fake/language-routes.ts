/** A small language server of scripts that knows a few names; tests and samples of scripts. */
import type { Became, SampleRuns, ScriptTests } from "../../src/api/types.ts";
import { type FakeRoute, no, ok, route } from "./answering.ts";

/** A name that the small language server knows. `line` is where the module defines it. */
interface Known {
  name: string;
  /** The kind of a completion, as in the protocol. */
  kind: number;
  code?: string;
  line?: number;
}

const MODULE = [
  "MSC DEFINITIONS IMPLICIT TAGS ::= BEGIN",
  "CallDataRecord ::= SEQUENCE {",
  "  recordType   [0]  RecordType,",
  "  callDuration [10] INTEGER",
  "}",
  "END",
].join("\n");

const FIELDS: Known[] = [
  { name: "recordType", kind: 5, code: "recordType RecordType", line: 3 },
  { name: "callDuration", kind: 5, code: "callDuration INTEGER", line: 4 },
];
const NAMES: Known[] = [
  { name: "cdr", kind: 6, code: "cdr CONST CallDataRecord" },
  { name: "isRoaming", kind: 3, code: "BOOLEAN isRoaming(cdr CONST CallDataRecord)" },
  { name: "return", kind: 14 },
];

interface Position {
  line: number;
  character: number;
}

interface Params {
  textDocument: { uri: string };
  position: Position;
  newName: string;
}

/** The word at a position, with what is before it, and where it is. */
function around(text: string, { line, character }: Position) {
  const whole = text.split("\n")[line] ?? "";
  const begin = character - /\w*$/.exec(whole.slice(0, character))![0].length;
  const end = character + /^\w*/.exec(whole.slice(character))![0].length;
  const range = { start: { line, character: begin }, end: { line, character: end } };
  return { before: whole.slice(0, begin), word: whole.slice(begin, end), range };
}

/** The ranges of a word in a text. */
const uses = (text: string, word: string) =>
  text.split("\n").flatMap((whole, line) =>
    [...whole.matchAll(new RegExp(`\\b${word}\\b`, "g"))].map(({ index }) => ({
      start: { line, character: index },
      end: { line, character: index + word.length },
    })),
  );

function hover({ code, line }: Known, range: unknown) {
  const defined = line === undefined ? "" : MODULE.split("\n")[line - 1]!.trim();
  const link =
    line === undefined ? "" : `\n\n\`\`\`asn1\n${defined}\n\`\`\`\n[msc.asn1:${line}](flow:asn1/msc.asn1#L${line})`;
  const value = `\`\`\`dup\n${code}\n\`\`\`\n\n<h1>Big</h1>\n\n[leave](https://elsewhere.test)${link}`;
  return { contents: { kind: "markdown", value }, range };
}

/** Answers a request of the protocol; undefined for a method that it does not know. */
function analysed(text: string, method: string, params: Params): unknown {
  if (method === "initialize") {
    const names = ["hover", "definition", "references", "rename", "documentFormatting"];
    const provided = Object.fromEntries(names.map((name) => [`${name}Provider`, true]));
    return { capabilities: { ...provided, completionProvider: { triggerCharacters: ["."] } } };
  }
  const { uri } = params.textDocument;
  if (method === "textDocument/formatting") {
    const spaces = /^ +/.exec(text)?.[0].length ?? 0;
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: spaces } };
    return [{ range, newText: "" }];
  }
  const { before, word, range } = around(text, params.position);
  if (method === "textDocument/completion") {
    const known = before.endsWith(".") ? FIELDS : NAMES;
    const edit = { range: { ...range, end: params.position } };
    return known.map(({ name, kind, code }) => ({
      label: name,
      kind,
      detail: code,
      textEdit: { ...edit, newText: name },
    }));
  }
  const found = [...FIELDS, ...NAMES].find(({ name, kind }) => name === word && kind !== 14);
  if (found === undefined) return null;
  switch (method) {
    case "textDocument/hover":
      return hover(found, range);
    case "textDocument/definition": {
      const line = (found.line ?? 0) - 1;
      const start = { line, character: 2 };
      const place = { uri: "flow:asn1/msc.asn1", range: { start, end: start } };
      return found.line === undefined ? { uri, range: uses(text, word)[0] } : place;
    }
    case "textDocument/references":
      return uses(text, word).map((range) => ({ uri, range }));
    case "textDocument/rename":
      if (found.line !== undefined) return undefined;
      return { changes: { [uri]: uses(text, word).map((range) => ({ range, newText: params.newName })) } };
    default:
      return undefined;
  }
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
  route("POST /api/analysis/{file}", "viewer", (_, { body }) => {
    const result = analysed(body.text, body.method, body.params as Params);
    return result === undefined ? no(422, `"${body.method}" is refused here`) : ok({ result });
  }),
  route("GET /api/module", "viewer", (_, { query }) => {
    const file = query.get("file") ?? "";
    return file === "asn1/msc.asn1" ? ok({ file, text: MODULE }) : no(404, `the flow has no module "${file}"`);
  }),
];
