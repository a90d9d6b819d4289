/** What happens, each second and over time. */

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
  /** How many keys a duplicate check knows. */
  keys?: number;
}

export interface SystemFigures {
  records: number;
  files: number;
  waiting_deliveries: number;
}

/** An edge to which fewer records came than left where it begins: it came later. */
export interface EdgeFigures {
  from: string;
  stream: string;
  to: string;
  /** Records that had left before it was there. */
  before: number;
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
  /** Those of them that nobody has acknowledged. */
  alarms_unacknowledged: AlarmCounts;
  /** Edges that were not there from the start. */
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
  /** Of the slowest file that was delivered. */
  delay_seconds: (number | null)[];
}

/** Threads that process files: of so many processes beside the gateway's, each; or, with none, of the gateway's own. */
export interface BalancedThreads {
  processes: number;
  threads: number;
}

export interface BalancedGroup {
  /** None for the network elements that are in no group. */
  name: string | null;
  network_elements: string[];
  own: BalancedThreads | null;
  priority: number | null;
  weight: number | null;
}

export interface BalancedReceivers {
  /** None for the receivers that are in no group. */
  name: string | null;
  post_processing_systems: string[];
  /** Its own, if it has any. */
  threads: number | null;
  priority: number | null;
  weight: number | null;
}

export interface BalanceDecision {
  at: string;
  what: string;
  why: string;
}

/** How many threads work for whom, and what was decided of that last. */
export interface Balance {
  processors: number;
  groups: BalancedGroup[];
  common: BalancedThreads;
  is_found: boolean;
  /** The newest first. */
  /** Who carries files to receivers; no groups where none are carried. */
  delivering: { threads: number; groups: BalancedReceivers[] };
  decisions: BalanceDecision[];
}
