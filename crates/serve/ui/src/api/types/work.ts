/** What operators work on: alarms, suspense, files, deliveries, the audit, the trail. */

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
  last: number;
}

/** Open records, by where they were refused. */
export type SuspenseNode = Pick<SuspenseGroup, "network_element" | "node" | "records">;

/** The greatest groups, and what all have together. */
export interface SuspenseGroups {
  groups: SuspenseGroup[];
  more: boolean;
  records: number;
  last: number;
}

/** A type of what is in a record. */
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
  /** Of an enumeration. */
  words?: string[];
  /** Of a structure or choice. */
  fields?: RecordField[];
  /** Of a list: the place of the type of its elements. */
  of?: number;
}

export interface RecordField {
  name: string;
  /** The place of its type, if that is known. */
  type: number | null;
  optional: boolean;
}

/** A record in suspense, but for what it says: that is read apart, since its numbers may be of any size. */
export interface SuspenseDetail {
  record: SuspenseRecord;
  octets: string;
  came: string | null;
  /** What may be said in it, its own type first; where it can be read. */
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
  /** The greatest number that is meant. */
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
  /** No longer to be retried, as somebody has said meanwhile. */
  taken_back: number;
  /** Duplicates that were not asked for. */
  left: number;
  /** The numbers of those whose octets were damaged in the journal. */
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
  /** The job of the file that it was found to be again. */
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

/** A file that outputs are gathered for. */
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
    /** Of any size: sums are of 128 bits. */
    sum: number | bigint;
    records: number;
  }[];
  in_work: number;
  /** What the alarms say of files that came and are not in the journal. */
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
