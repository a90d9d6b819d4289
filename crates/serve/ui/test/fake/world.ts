/** The state of the fake gateway. */
import type {
  ActionStop,
  Alarm,
  Delivery,
  RefusedFile,
  DoneFile,
  Figures,
  FraudAlert,
  Graph,
  Person,
  RequestedAction,
  Role,
  RunningRule,
  SuspenseRecord,
  Token,
  TrailEntry,
  Version,
} from "../../src/api/types.ts";
import { RULE_FILES, requestedActions, runningRules } from "./actions.ts";
import { FLOW, SCRIPTS, large } from "./example.ts";
import { firstFigures } from "./figures.ts";
import { type FakeCase, fraudAlerts, fraudCases } from "./fraud.ts";
import { type IndexedRecord, fraudRecords } from "./fraud-records.ts";
import { type FakeLists, fraudLists } from "./fraud-lists.ts";
import { graphOf } from "./flow-file.ts";
import { alarms, deliveries, files, refusedFiles, suspense, trail, versions } from "./records.ts";
import { minutes } from "./time.ts";

export const PASSWORD = "a long enough password";

export interface World {
  now: () => number;
  people: (Person & { password: string | null; link: string | null })[];
  tokens: Token[];
  sessions: Map<string, { name: string; csrf: string }>;
  text: string;
  running: Graph;
  /** The files of the flow that versions include: scripts and rules. */
  scripts: Record<string, string>;
  versions: (Version & { text: string; files: { name: string; text: string }[] })[];
  alarms: Alarm[];
  suspense: (Omit<SuspenseRecord, "octets"> & { json: string | null })[];
  files: DoneFile[];
  deliveries: Delivery[];
  refusedFiles: RefusedFile[];
  trail: TrailEntry[];
  fraudAlerts: FraudAlert[];
  fraudCases: FakeCase[];
  /** The newest first. */
  fraudRecords: IndexedRecord[];
  /** The lists of keys, by name. */
  lists: FakeLists;
  /** The rules that run, by name. */
  rules: Record<string, RunningRule>;
  /** The newest first. */
  actions: RequestedAction[];
  stopped: ActionStop | null;
  figures: Figures;
  /** The user who accepted the missing numbers as lost, and the reason. */
  lost: string | null;
}

/** The initial state: the example, nothing, or a flow of the given number of chains and files. */
export type Begin = "example" | "empty" | { ways: number; files?: number | undefined };

const EMPTY = '# A flow begins here.\n\n[asn1]\nmodules = ["asn1/msc.asn1", "asn1/billing.asn1"]\n';

export function world(begin: Begin, now: () => number = Date.now): World {
  const isEmpty = begin === "empty";
  const at = (many: number) => minutes(now(), many);
  const person = (name: string, role: Role, password: string | null, link: string | null) => ({
    name,
    role,
    since: at(60 * 24 * 40),
    last_login: password === null ? null : at(63),
    invited: password === null,
    sessions: password === null ? 0 : 1,
    password,
    link,
  });
  const text = begin === "empty" ? EMPTY : begin === "example" ? FLOW : large(begin.ways);
  const graph = graphOf(text);
  return {
    now,
    people: [
      person("anna", "administrator", PASSWORD, null),
      person("otto", "operator", PASSWORD, null),
      person("vera", "viewer", PASSWORD, null),
      ...(isEmpty ? [] : [person("nils", "operator", null, "invited-nils")]),
    ],
    tokens: isEmpty
      ? []
      : [
          {
            id: 1,
            name: "prometheus",
            role: "viewer",
            since: at(60 * 24 * 83),
            last_used: at(1),
            until: at(-60 * 24 * 7),
            expired: false,
          },
        ],
    sessions: new Map(),
    text,
    running: graph,
    scripts: isEmpty ? {} : { ...SCRIPTS, ...RULE_FILES },
    versions: isEmpty ? [] : versions(at, text),
    alarms: isEmpty ? [] : alarms(at),
    suspense: isEmpty ? [] : suspense(at),
    files: isEmpty ? [] : files(at, typeof begin === "object" ? begin.files : undefined),
    deliveries: isEmpty ? [] : deliveries(at),
    refusedFiles: isEmpty ? [] : refusedFiles(at),
    trail: isEmpty ? [] : trail(at),
    fraudAlerts: isEmpty ? [] : fraudAlerts(at),
    fraudCases: isEmpty ? [] : fraudCases(at, fraudAlerts(at)),
    fraudRecords: isEmpty ? [] : fraudRecords(at),
    lists: isEmpty ? {} : fraudLists(at),
    rules: isEmpty ? {} : runningRules(at),
    actions: isEmpty ? [] : requestedActions(at),
    stopped: null,
    figures: firstFigures(graph, isEmpty, at(0)),
    lost: null,
  };
}
