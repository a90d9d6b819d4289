/** Tariff plans. */
import type { Diagnostic } from "./flow";

export interface TariffDeed {
  at: string;
  who: string;
  reason: string;
}

export interface Tariff {
  plan: string;
  nodes: string[];
  name: string | null;
  currency: string | null;
  classes: string[];
  tables: { file: string; digest: string }[];
  versions: {
    version: number;
    valid_from: string;
    name: string;
    loaded: TariffDeed;
    withdrawn: TariffDeed | null;
  }[];
  diagnostics: Diagnostic[];
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
