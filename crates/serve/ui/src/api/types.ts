/** What the gateway answers, as /api/openapi.json describes it. Names are those of the wire. */

export type Role = "viewer" | "operator" | "administrator";

export interface Session {
  name: string;
  role: Role;
  csrf: string;
  until: string;
}

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
  title: string | null;
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
  files: { name: string; text: string }[];
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

export interface Outcomes {
  delivered: number;
  filtered: number;
  held: number;
  suspended: number;
  duplicate: number;
}

export interface ElementFigures {
  files: number;
  records: number;
  waiting: number;
  octets: number;
  outcomes: Outcomes;
}

export interface NodeFigures {
  records: number;
  outcomes: Partial<Outcomes>;
  made: number;
  streams: { [stream: string]: number };
}

export interface SystemFigures {
  records: number;
  files: number;
  waiting_deliveries: number;
}

export type AlarmCounts = { [severity in "critical" | "major" | "minor" | "warning"]: number };

/** Totals since the gateway was started. */
export interface Figures {
  at: string;
  seconds: number;
  elements: { [name: string]: ElementFigures };
  nodes: { [name: string]: NodeFigures };
  systems: { [name: string]: SystemFigures };
  threads: { all: number; working: number };
  suspense_open: number;
  alarms: AlarmCounts;
  journal_is_written: boolean;
  room: "free" | "low";
}

export interface History {
  step_seconds: number;
  at: number[];
  records: (number | null)[];
  octets: (number | null)[];
  suspended: (number | null)[];
  delay_seconds: (number | null)[];
}

export type Severity = "critical" | "major" | "minor" | "warning" | "indeterminate" | "cleared";

export interface Alarm {
  id: number;
  kind: string;
  subject: string;
  text: string;
  raised: string;
  cleared: string | null;
  severity: Severity;
  event_type: string;
  probable_cause: string;
  acknowledged: { who: string; at: string; remark: string } | null;
}

export interface SuspenseRecord {
  id: number;
  why: string;
  since: string;
  network_element: string;
  file: string;
  record: number | null;
  offset: number | null;
  /** Empty where the record could not be read. */
  node: string;
  reason: string;
  state: string;
  /** Whether it is to be put through again, and was not yet. */
  asked: boolean;
  edited: boolean;
  retries: number;
}

export interface SuspenseGroup {
  records: number;
  network_element: string;
  node: string;
  reason: string;
  first: number;
}

/** A record in suspense, but for what it says: that is read apart, since its numbers may be of any size. */
export interface SuspenseDetail {
  record: SuspenseRecord;
  octets: string;
  came: string | null;
  problem: string | null;
  history: {
    at: string;
    who: string;
    action: string;
    because: string;
    outcome: string | null;
    reason: string | null;
  }[];
}

export interface SuspenseFilter {
  network_element?: string;
  file?: string;
  node?: string;
  reason?: string;
  state?: string;
}

export interface Retried {
  asked: number;
  records: number;
  delivered: number;
  filtered: number;
  held: number;
  suspended: number;
  duplicate: number;
  waiting: number;
}

export interface DoneFile {
  job: number;
  network_element: string;
  file: string;
  done: string;
  records: number;
  delivered: number;
  filtered: number;
  held: number;
  suspended: number;
  duplicate: number;
  octets: number;
}

export interface Delivery {
  id: number;
  post_processing_system: string;
  file: string;
  records: number;
  state: string;
  since: string;
  failures: number;
  problem: string | null;
  lies: string | null;
}

export interface AuditCount {
  day: string | null;
  network_element: string;
  file: string | null;
  retried: boolean;
  node: string | null;
  is_system: boolean;
  files: number;
  duplicate_files: number;
  records: number;
  delivered: number;
  filtered: number;
  held: number;
  waiting: number;
  dropped: number;
  suspended: number;
  duplicate: number;
  made: number;
  open: number;
  discarded: number;
}

export interface AuditReport {
  flow: string;
  as_of: string;
  counts: AuditCount[];
  amounts: {
    day: string | null;
    network_element: string;
    file: string | null;
    retried: boolean;
    system: string | null;
    side: string;
    name: string;
    /** Of any size: sums are of 128 bits. */
    sum: number | bigint;
    records: number;
  }[];
  in_work: number;
  forgotten: { files: number; until: string } | null;
  differences: {
    day: string | null;
    network_element: string | null;
    file: string | null;
    node: string | null;
    text: string;
  }[];
}

export interface SequenceLine {
  network_element: string;
  of: string;
  series: string;
  what: string;
  first: number | null;
  last: number | null;
  count: number;
  at: string | null;
  until: string | null;
  file: string | null;
  note: string | null;
}

export interface SequenceReport {
  flow: string;
  from: string | null;
  to: string | null;
  as_of: string;
  not_yet: number;
  lines: SequenceLine[];
  sha256: string;
}

export interface TrailEntry {
  id: number;
  at: string;
  who: string;
  action: string;
  subject: string;
  reason: string | null;
  before: string | null;
  after: string | null;
}

export interface Person {
  name: string;
  role: Role;
  since: string;
  last_login: string | null;
  invited: boolean;
}

export interface Token {
  id: number;
  name: string;
  role: Role;
  since: string;
  last_used: string | null;
}

/** A step of a record's way: one key says what it is. */
export type Step = string | { [what: string]: { [key: string]: string } };

export interface Traced {
  network_element: string;
  file: string;
  record: number | null;
  offset: number | null;
  done: string;
  job: number;
  retried: boolean;
  duplicate_of?: string;
  way: Step[];
  outputs: { post_processing_system: string; file: string; record: number; offset: number; octets: number }[];
  suspense: { id: number; state: string; node: string; reason: string }[];
  group: { group: number; node: string; key: string; file: string | null; record: number; offset: number }[];
  later: Traced[];
}
