/** The way of a record through the flow. */

/** A step of a record's way. Its one key names the kind of step. */
export type Step = string | { [what: string]: { [key: string]: string } };

/** The files that were read in search of records. */
export interface LookedThrough {
  files: number;
  records: number;
  next: string | null;
  problems: string[];
  problems_more: number;
}

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
  outputs: {
    post_processing_system: string;
    file: string;
    record: number;
    offset: number;
    octets: number;
    carried?: { state: string; name: string | null };
  }[];
  suspense: { id: number; state: string; node: string; reason: string }[];
  group: { group: number; node: string; key: string; file: string | null; record: number; offset: number }[];
  later: Traced[];
}
