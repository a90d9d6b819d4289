/** A replay: a change that is tried on files that were processed before. */

export interface ReplayState {
  /** The replay that runs, or the last one. */
  replay: Replay | null;
  files_max: number;
}

export interface Replay {
  id: number;
  state: "running" | "done" | "cancelled" | "failed";
  who: string;
  began: string;
  ended: string | null;
  version: number | null;
  /** The names of the files whose drafts are tried. The flow file's name is empty. */
  drafts: string[];
  network_elements: string[];
  from: string | null;
  to: string | null;
  files_most: number;
  files: number;
  octets: number;
  files_left_out: number;
  files_gone: number;
  files_done: number;
  problem: string | null;
  cancelled_by: string | null;
  report: ReplayReport | null;
}

export interface ReplayReport {
  differs: boolean;
  files: number;
  files_differing: number;
  differing: number;
  groups_differing: number;
  counts: ReplayCount[];
  receivers: ReplayReceiver[];
  sums: ReplaySum[];
  headers: string[];
  files_named: { network_element: string; file: string; differing: number }[];
  examples: ReplayExample[];
}

export interface ReplayCount {
  what: string;
  before: number;
  after: number;
}

export interface ReplayReceiver {
  post_processing_system: string;
  before: number;
  after: number;
  only_before: number;
  only_after: number;
  changed: number;
}

export interface ReplaySum {
  of: string;
  before: string;
  after: string;
}

export interface ReplayBecame {
  what: string;
  at: string | null;
  reason: string | null;
}

export interface ReplayExample {
  network_element: string;
  file: string;
  record: number;
  offset: number;
  key: string | null;
  before: ReplayBecame | null;
  after: ReplayBecame | null;
  receivers: ReplayGets[];
}

export interface ReplayGets {
  post_processing_system: string;
  change: "only-before" | "only-after" | "changed";
  fields: ReplayField[];
}

/** The content of a field, in JSON. */
export interface ReplayField {
  field: string;
  before: string | null;
  after: string | null;
}

export interface ReplayAsked {
  version?: number;
  files?: { name: string; text: string }[];
  network_elements: string[];
  from?: string;
  to?: string;
  limit: number;
}
