/** Tariff plans. */
import type { Activation, Diagnostic } from "./flow";

export interface TariffDeed {
  at: string;
  who: string;
  reason: string;
}

/** A version of a plan in a database. It is valid until the next version becomes valid. */
export interface TariffVersion {
  version: number;
  valid_from: string;
  valid_to: string | null;
  standing: "past" | "valid" | "coming" | "withdrawn";
  name: string;
  loaded: TariffDeed;
  withdrawn: TariffDeed | null;
}

export interface TariffFile {
  file: string;
  octets: number;
  digest: string;
}

/** The files of a version, and the changes for the next one. Null removes a table from the plan. */
export interface TariffDraft {
  /** Null for a plan that consists of these files only. */
  based_on: number | null;
  files: Record<string, string | null>;
}

export interface TariffLoaded {
  /** Null if the files have mistakes. */
  version: number | null;
  diagnostics: Diagnostic[];
  gateway: Activation | null;
}

export interface Tariff {
  plan: string;
  nodes: string[];
  name: string | null;
  currency: string | null;
  classes: string[];
  services: string[];
  tables: { file: string; digest: string }[];
  /** Null unless the plan is a database. */
  versions: TariffVersion[] | null;
  diagnostics: Diagnostic[];
  problem: string | null;
}

/** A usage to price. An empty field is not sent. */
export interface TariffUsage {
  service: string;
  from: string;
  to: string;
  subscriber: string;
  partner: string;
  start: string;
  duration: string;
  octets: string;
}

export interface TariffExplained {
  plan: string;
  steps: { step: string; found: string; file: string | null; line: number | null }[];
  price: {
    class: string;
    currency: string;
    net: string;
    tax: string;
    total: string;
    unit: string;
    counted: number;
    free: number;
  } | null;
  problem: string | null;
}

export interface TariffText {
  file: string;
  text: string;
  digest: string;
}

/** What to do with the counters of a node. */
export type CountersDeed = "move" | "accept" | "forget";

/** Counters that need a decision. */
export interface DoubtedNode {
  node: string;
  why: "orphaned" | "keyed-otherwise";
  subscribers: number;
  since: string;
  /** A decision that the gateway has not carried out yet. */
  asked: { deed: CountersDeed; to: string | null; who: string; because: string } | null;
}

export interface DoubtedCounters {
  nodes: DoubtedNode[];
  /** The nodes of the flow that keep counters. Counters can be moved to one of these. */
  keeping: string[];
}

export interface ChangedCounters {
  waiting: boolean;
  subscribers: number;
  added_up: number;
  left: number;
}
