/** Tariff plans. */
import type { Activation, Diagnostic } from "./flow";

export interface TariffDeed {
  at: string;
  who: string;
  reason: string;
}

/** A version of a plan in a database: valid from a moment on, until the next one is. */
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

/** Files of a version, and what is another one in the next: nothing where the plan is to have no such table. */
export interface TariffDraft {
  /** None for a plan of these files alone. */
  based_on: number | null;
  files: Record<string, string | null>;
}

export interface TariffLoaded {
  /** None where it has mistakes. */
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
  /** Of a plan that is a database. */
  versions: TariffVersion[] | null;
  diagnostics: Diagnostic[];
  problem: string | null;
}

/** What somebody asks the price of; what is empty is not said. */
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

/** What is to become of the counters of a node. */
export type CountersDeed = "move" | "accept" | "forget";

/** Counters of which somebody has to say what becomes of them. */
export interface DoubtedNode {
  node: string;
  why: "orphaned" | "keyed-otherwise";
  subscribers: number;
  since: string;
  /** What was asked for and is not done yet. */
  asked: { deed: CountersDeed; to: string | null; who: string; because: string } | null;
}

export interface DoubtedCounters {
  nodes: DoubtedNode[];
  /** The nodes of the flow that keep counters: they may be moved to one of these. */
  keeping: string[];
}

export interface ChangedCounters {
  waiting: boolean;
  subscribers: number;
  added_up: number;
  left: number;
}
