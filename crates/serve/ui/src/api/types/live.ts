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
  /** Where the gateway notes it. */
  delay_seconds?: (number | null)[];
}
