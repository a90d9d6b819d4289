/** The flow: its graph, its checks, its versions, its scripts. */

/** A value of a setting: what TOML has, but for dates. */
export type Setting = string | number | boolean | Setting[] | { [key: string]: Setting };

export interface Source {
  /** As it stands in the flow file: `isRoaming.true`. */
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
  /** None where the script says them, or where there is one without a name. */
  streams: string[] | null;
  settings: KindSetting[];
}

export interface Looked {
  graph: Graph;
  diagnostics: Diagnostic[];
  /** Further diagnostics that the answer leaves out. */
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
  /** Tells what lies on the disk from anything else. */
  found: string;
}

export interface VersionFile {
  name: string;
  octets: number;
  /** None of a large one. */
  text: string | null;
  /** Whether what lies on the disk is another one, or none. */
  is_other: boolean;
  /** What lies there, if that is another one and not large. */
  now: string | null;
}

/** A file that the flow names and no version has. */
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

/** Where records are taken from. */
export type SamplesFrom = "stream" | "suspense";

/** What becomes of a record: by which stream it goes on, or what is made of it, in JSON; or why it is refused. */
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
  /** In JSON. */
  came: string;
  edited: Became;
  /** None where the script runs as it is edited. */
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

/** The place is where the word begins that is written already. */
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
