/** The kinds of nodes and their settings, after docs/reference/flow.md. */
import type { Kind, KindSetting } from "../../src/api/types.ts";

const setting = (key: string, sort: KindSetting["sort"], help: string, required = false): KindSetting => ({
  key,
  sort,
  required,
  help,
});

const script = setting("script", "text", "the script, beside the flow file", true);
const named = setting("function", "text", "the function of the script, if it is not the only one that fits");

export const KINDS: Kind[] = [
  {
    kind: "network-element",
    streams: null,
    settings: [
      setting("collect.dir", "text", "the folder that files come into", true),
      setting("collect.pattern", "text", "names with * and ?; all if nothing is said"),
      setting("collect.recursive", "truth", "look into folders within"),
      setting("collect.quiet", "text", "how long a file must stay unchanged before it is collected"),
      setting("collect.files-at-once", "text", "how many of its files may be in work at a time"),
      setting("decode.type", "text", "the type of its records, MODULE.Type", true),
      setting("decode.codec", "text", "ber, csv, json, xml, fixed; ber if nothing is said"),
      setting("duplicates.files", "text", "contents, name, both, either or off"),
      setting("duplicates.window", "text", "how long a file is known"),
      setting("file-sequence", "text", "the numbers in names of files"),
      setting("audit", "text", "sums of values that are audited"),
    ],
  },
  { kind: "filter", streams: ["true", "false"], settings: [script, named] },
  { kind: "formatter", streams: null, settings: [script, named] },
  {
    kind: "matching",
    streams: null,
    settings: [
      script,
      setting("wait.record-time", "text", "by the records' time, how long a group waits"),
      setting("wait.arrival", "text", "by the clock, how long a group waits"),
      setting("within", "text", "how far the times of a group's records may lie apart"),
      setting("expired", "text", "emit, suspend or drop"),
      setting("late", "text", "suspend, pass or begin"),
      setting("group-max", "text", "most records of a group"),
    ],
  },
  {
    kind: "duplicate-check",
    streams: null,
    settings: [
      setting("type", "text", "the type of its records", true),
      setting("key", "text", "expressions over the record, which tell records apart", true),
      setting("window", "text", "how long a record is known"),
      setting("keys", "text", "most records that are known"),
    ],
  },
  {
    kind: "rating",
    streams: null,
    settings: [
      setting("type", "text", "the type of its records", true),
      setting("plan", "text", "the folder of the plan", true),
    ],
  },
  {
    kind: "post-processing-system",
    streams: [],
    settings: [
      setting("encode.type", "text", "the type of its records", true),
      setting("encode.codec", "text", "ber, csv, json, xml, fixed; ber if nothing is said"),
      setting("deliver.dir", "text", "the folder that files are delivered to", true),
      setting("deliver.name", "text", "the name of the output of a file"),
      setting("deliver.limit", "text", "octets that may lie in the folder"),
      setting("deliver.order", "truth", "no file overtakes another"),
    ],
  },
];
