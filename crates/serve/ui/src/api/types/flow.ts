/** The flow: its graph, its checks, its versions, its scripts. */

/** The value of a setting: a TOML value except a date. */
export type Setting = string | number | boolean | Setting[] | { [key: string]: Setting };

export interface Source {
  /** The text in the flow file: `isRoaming.true`. */
  word: string;
  node: string;
  stream: string | null;
}

export interface GraphNode {
  name: string;
  kind: string;
  table: string;
  title?: string | null;
  from: Source[];
  streams: string[];
  settings: { [key: string]: Setting };
  script: string | null;
  line: number;
}

export interface Graph {
  nodes: GraphNode[];
}

export interface Diagnostic {
  severity: "error" | "warning";
  file: string;
  line: number;
  column: number;
  message: string;
  hint: string | null;
  node: string | null;
  text: string;
}

export type Sort = "text" | "number" | "truth" | "list" | "table";

export interface KindSetting {
  key: string;
  sort: Sort;
  required: boolean;
  help: string;
}

export interface Kind {
  kind: string;
  /** Null if the script defines the streams, or if the kind has one stream without a name. */
  streams: string[] | null;
  settings: KindSetting[];
}

export interface Looked {
  graph: Graph;
  diagnostics: Diagnostic[];
  /** The number of further diagnostics that the answer omits. */
  diagnostics_left_out?: number;
}

export interface Edited extends Looked {
  text: string;
}

export interface Flow extends Edited {
  digest: string;
  name: string;
  kinds: Kind[];
}

export type Edit =
  | { do: "add"; kind: string; name: string; settings: { [key: string]: Setting }; from: string[] }
  | { do: "remove"; name: string }
  | { do: "rename"; name: string; to: string }
  | { do: "connect"; from: string; to: string }
  | { do: "disconnect"; from: string; to: string }
  | { do: "set"; name: string; key: string; value: Setting }
  | { do: "unset"; name: string; key: string };

export interface Version {
  version: number;
  at: string;
  who: string;
  remark: string;
  active: boolean;
  activated: { at: string; who: string }[];
}

export interface VersionText {
  version: number;
  at: string;
  who: string;
  remark: string;
  text: string;
  files: VersionFile[];
  left_out: LeftOut[];
  /** A digest of the files on the disk. It changes when any of them changes. */
  found: string;
}

export interface VersionFile {
  name: string;
  octets: number;
  /** Null for a large file. */
  text: string | null;
  /** Whether the file on the disk differs or is missing. */
  is_other: boolean;
  /** The text of the file on the disk, if it differs and is not large. */
  now: string | null;
}

/** A file that the flow names and that versions do not include. */
export interface LeftOut {
  name: string;
  why: string;
}

export interface Activation {
  answer: "active" | "pending" | "mistakes" | "stopping";
  changed: string[];
  mistakes: string[];
}

export interface Script {
  file: string;
  nodes: string[];
  digest: string;
}

export interface ScriptText {
  file: string;
  text: string;
  digest: string;
}

export interface ScriptTest {
  name: string;
  line: number;
  result: "passed" | "failed" | "not-run";
  reason: string | null;
}

export interface ScriptTests {
  tests: ScriptTest[];
  lines: number;
  lines_not_run: number[];
}

/** Where sample records are taken from. */
export type SamplesFrom = "stream" | "suspense";

/**
 * The result for a record: the stream by which it continues, or the records made of it, in JSON, or the reason why it
 * is refused.
 */
export interface Became {
  stream: string | null;
  records: string[];
  problem: string | null;
}

export interface SampleRecord {
  network_element: string;
  file: string;
  record: number;
  suspended: number | null;
  /** The record, in JSON. */
  came: string;
  edited: Became;
  /** The result of the script that runs. Null if that is the edited text. */
  now: Became | null;
}

export interface SampleRuns {
  records: SampleRecord[];
  unknown_behind: string[];
  edited_nanoseconds: number | null;
  now_nanoseconds: number | null;
}

export type NameSort = "function" | "variable" | "table" | "type" | "field" | "value" | "word";

export interface ScriptCandidate {
  name: string;
  sort: NameSort;
  code: string;
  text: string;
}

/** The place is the start of the word at the cursor. */
export interface ScriptCompletions {
  line: number;
  column: number;
  candidates: ScriptCandidate[];
}

export interface NameDefinition {
  file: string;
  line: number;
  text: string;
}

export interface ScriptName {
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  code: string;
  text: string;
  definitions: NameDefinition[];
}
