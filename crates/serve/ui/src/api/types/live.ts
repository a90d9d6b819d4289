/** What happens in the gateway, each second and over time. */

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
  /** The number of keys that a duplicate check remembers. */
  keys?: number;
}

export interface SystemFigures {
  records: number;
  files: number;
  waiting_deliveries: number;
}

/** An edge that was added while the gateway ran. Fewer records went over it than left its source. */
export interface EdgeFigures {
  from: string;
  stream: string;
  to: string;
  /** The records that had left the source before the edge was added. */
  before: number;
}

export type AlarmCounts = { [severity in "critical" | "major" | "minor" | "warning"]: number };

/** Totals since the start of the gateway. */
export interface Figures {
  at: string;
  seconds: number;
  elements: { [name: string]: ElementFigures };
  nodes: { [name: string]: NodeFigures };
  systems: { [name: string]: SystemFigures };
  threads: { all: number; working: number };
  suspense_open: number;
  alarms: AlarmCounts;
  /** The alarms that are not acknowledged. */
  alarms_unacknowledged: AlarmCounts;
  /** The edges that were added since the start. */
  edges: EdgeFigures[];
  journal_is_written: boolean;
  room: "free" | "low";
}

export interface History {
  step_seconds: number;
  at: number[];
  records: (number | null)[];
  octets: (number | null)[];
  suspended: (number | null)[];
  /** The delay of the slowest file that was delivered. */
  delay_seconds: (number | null)[];
}

/**
 * Threads that process files: those of each worker process, or, if `processes` is 0, those of the gateway's own
 * process.
 */
export interface BalancedThreads {
  processes: number;
  threads: number;
}

export interface BalancedGroup {
  /** Null for the network elements without a group. */
  name: string | null;
  network_elements: string[];
  own: BalancedThreads | null;
  priority: number | null;
  weight: number | null;
}

export interface BalancedReceivers {
  /** Null for the receivers without a group. */
  name: string | null;
  post_processing_systems: string[];
  /** The group's own threads, if it has any. */
  threads: number | null;
  priority: number | null;
  weight: number | null;
}

export interface BalanceDecision {
  at: string;
  what: string;
  why: string;
}

/** The number of threads of each group, and the latest decisions about them. */
export interface Balance {
  processors: number;
  groups: BalancedGroup[];
  common: BalancedThreads;
  is_found: boolean;
  /** The threads that carry files to receivers. No groups if the flow delivers no files. */
  delivering: { threads: number; groups: BalancedReceivers[] };
  /** The newest first. */
  decisions: BalanceDecision[];
}
