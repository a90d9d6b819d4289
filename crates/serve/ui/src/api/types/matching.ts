/** Records that wait in matching nodes, and what rating nodes have counted. */

/** When a group will be over: whichever comes first. */
export interface GroupOver {
  /** When all network elements are past this by their records' own time. */
  past: string | null;
  waits_for?: { network_element: string; at: string | null }[];
  /** When this is the time of day. */
  at: string | null;
  behind_files_of?: string[];
  without_files_at?: string;
  /** But not before these records in suspense were retried or discarded. */
  not_before?: number[];
}

export interface GroupPart {
  came: string | null;
  network_element: string | null;
  /** None where the journal has forgotten it. */
  file: string | null;
  record: number;
  offset: number;
  made: string | null;
}

/** Records that wait in a matching node for others, or did. */
export interface MatchingGroup {
  id: number;
  node: string;
  key: string;
  since: string;
  first: string | null;
  last: string | null;
  records: number;
  over?: GroupOver;
  asked?: { end: GroupEnd; who: string; because: string };
  release: "complete" | "expired" | "dropped" | "suspended" | null;
  released: string | null;
  released_by: string | null;
  parts?: GroupPart[];
}

export interface MatchingNode {
  node: string;
  groups: number;
  since: string;
}

/** What somebody wants to become of a group. */
export type GroupEnd = "release" | "suspend" | "drop";

export interface GroupsEnded {
  groups: number;
  records: number;
  released: number;
  suspended: number;
  dropped: number;
  completed: number;
  /** Those that the gateway ends as soon as it can. */
  waiting: number;
  refused: { id: number; key: string; node: string; refused_by: string | null; reason: string | null }[];
  more: boolean;
  problems: string[];
}

/** What was counted of a subscriber in a period of a bundle or discount. */
export interface SubscriberCounter {
  node: string;
  of: "bundle" | "discount";
  name: string;
  period: string;
  used: string;
  unit: string;
  changed_by: string | null;
}
