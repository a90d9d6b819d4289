/** The files of rules. They are among the files of the flow's versions, as scripts are. */
import type { Diagnostic } from "../../src/api/types.ts";
import { type FakeRoute, at, digest, no, note, ok, route } from "./answering.ts";
import { activated } from "./flow-routes.ts";
import { mistakesOf } from "./flow-file.ts";
import type { World } from "./world.ts";

const FOLDERS = ["rules"];

const isRuleFile = (file: string) => /^rules\/[\w-]+\.(toml|csv|dup)$/.test(file);

const textOf = (world: World, file: string) => (isRuleFile(file) ? world.scripts[file] : undefined);

/** Returns the mistakes of a file: rules are about callers or pairs. */
function mistakes(file: string, text: string): Diagnostic[] {
  return text.split("\n").flatMap((line, place): Diagnostic[] => {
    const [, before = "", subject = ""] = /^(about\s*=\s*)"(.*)"/.exec(line) ?? [];
    if (before === "" || ["caller", "pair"].includes(subject)) return [];
    const message = `no subject named "${subject}"`;
    const column = before.length + 1;
    return [
      {
        severity: "error",
        file,
        line: place + 1,
        column,
        message,
        hint: 'the node has "caller" and "pair"',
        node: null,
        text: `${file}:${place + 1}:${column}: ${message}`,
      },
    ];
  });
}

export const RULE_FILE_ROUTES: FakeRoute[] = [
  route("GET /api/fraud/rule-files", "viewer", (world) => {
    const files = Object.entries(world.scripts).filter(([file]) => isRuleFile(file));
    return ok({
      files: files.map(([file, text]) => ({ file, digest: digest(text) })).sort((a, b) => (a.file < b.file ? -1 : 1)),
      folders: FOLDERS,
    });
  }),
  route("GET /api/fraud/rule-files/{file}", "viewer", (world, _, { file }) => {
    const text = textOf(world, file);
    if (text === undefined) return no(404, `no folder of rules has a file "${file}"`, "rule-file-unknown");
    return ok({ file, text, digest: digest(text) });
  }),
  route("POST /api/fraud/rule-files/{file}", "operator", (_, { body }, { file }) =>
    ok(mistakesOf(mistakes(file, body.text))),
  ),
  route("PUT /api/fraud/rule-files/{file}", "operator", (world, { body }, { file }, who) => {
    const before = textOf(world, file);
    if ((before === undefined ? null : digest(before)) !== (body.based_on ?? null))
      return no(409, "the rule was changed by another user meanwhile: load it, and look again", "rule-file-changed");
    const found = mistakes(file, body.text);
    if (found.length > 0) return ok({ answer: "mistakes", changed: [], mistakes: found.map(({ text }) => text) });
    const version = (world.versions.at(-1)?.version ?? 0) + 1;
    world.versions.push({
      version,
      at: at(world),
      who,
      remark: body.remark,
      active: false,
      activated: [],
      proposal: null,
      text: world.text,
      files: Object.entries({ ...world.scripts, [file]: body.text }).map(([name, text]) => ({ name, text })),
    });
    note(world, who, "fraud put-rule-file", file, body.remark);
    return activated(world, version, who, body.remark);
  }),
];
