/** Records that wait in matching nodes, and the counters of rating nodes. */

/** When the group ends: at the first of these conditions. */
export interface GroupOver {
  /** The group ends when the records of all network elements are later than this, by the records' own time. */
  past: string | null;
  waits_for?: { network_element: string; at: string | null }[];
  /** The group ends at this time of the clock. */
  at: string | null;
  behind_files_of?: string[];
  without_files_at?: string;
  /** The group does not end before these records in suspense are retried or discarded. */
  not_before?: number[];
}

export interface GroupPart {
  came: string | null;
  network_element: string | null;
  /** Null if the journal has deleted it. */
  file: string | null;
  record: number;
  offset: number;
  made: string | null;
}

/** A group of records that wait, or waited, in a matching node for others. */
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

/** How to end a group. */
export type GroupEnd = "release" | "suspend" | "drop";

export interface GroupsEnded {
  groups: number;
  records: number;
  released: number;
  suspended: number;
  dropped: number;
  completed: number;
  /** The groups that the gateway ends as soon as it can. */
  waiting: number;
  refused: { id: number; key: string; node: string; refused_by: string | null; reason: string | null }[];
  more: boolean;
  problems: string[];
}

/** The amount that is counted for a subscriber in a period of a bundle or discount. */
export interface SubscriberCounter {
  node: string;
  of: "bundle" | "discount";
  name: string;
  period: string;
  used: string;
  unit: string;
  changed_by: string | null;
}
