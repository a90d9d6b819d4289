/** The subjects of an operator's work: alarms, suspense, files, deliveries, the audit, the trail. */

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
  /** Empty if the record could not be read. */
  node: string;
  reason: string;
  state: string;
  /** Whether a retry is requested and not done yet. */
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
  last: number;
}

/** The number of open records by the node that refused them. */
export type SuspenseNode = Pick<SuspenseGroup, "network_element" | "node" | "records">;

/** The largest groups, and the totals of all groups. */
export interface SuspenseGroups {
  groups: SuspenseGroup[];
  more: boolean;
  records: number;
  last: number;
}

/** A type within a record. */
export interface RecordType {
  name: string;
  kind:
    | "boolean"
    | "integer"
    | "enumerated"
    | "real"
    | "null"
    | "octets"
    | "bits"
    | "digits"
    | "packed-digits"
    | "text"
    | "structure"
    | "choice"
    | "list"
    | "other";
  /** The names of an enumeration. */
  words?: string[];
  /** The fields of a structure or choice. */
  fields?: RecordField[];
  /** The index of the element type of a list. */
  of?: number;
}

export interface RecordField {
  name: string;
  /** The index of its type, if that is known. */
  type: number | null;
  optional: boolean;
}

/** A record in suspense without its JSON, which is read separately because its numbers can be of any size. */
export interface SuspenseDetail {
  record: SuspenseRecord;
  octets: string;
  came: string | null;
  /** The types that the record can contain, its own type first. Null if the record cannot be read. */
  types: RecordType[] | null;
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
  /** The highest record number that the request covers. */
  up_to?: number;
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
  /** The records whose retry was cancelled meanwhile. */
  taken_back: number;
  /** The duplicates that were left because the request did not include them. */
  left: number;
  /** The numbers of the records whose octets are damaged in the journal. */
  damaged: number[];
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
  /** The job of the file of which this one is a duplicate. */
  duplicate_of: number | null;
  may_come_again: boolean;
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

/** A file that collects outputs to merge. */
export interface GatheringFile {
  post_processing_system: string;
  outputs: number;
  records: number;
  octets: number;
  since: string;
  closes: {
    at: string;
    records_max: number | null;
    octets_max: number | null;
    outputs_max: number;
  } | null;
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
    /** Of any size: sums have 128 bits. */
    sum: number | bigint;
    records: number;
  }[];
  in_work: number;
  /** The alarms about files that came and are not in the journal. */
  not_taken: string[];
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
  first: number | bigint | null;
  last: number | bigint | null;
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
