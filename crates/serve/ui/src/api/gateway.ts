/** The requests of the API, one line each. */
import type * as wire from "./types";
import type { Description } from "../reference/describe";
import { SESSION, ask, askText, said } from "./client";
import { type Exact, Members, parse, plain, print } from "./exact-json";

const part = encodeURIComponent;

/** Encodes a script's name. It can have folders, which are segments of the path. */
const path = (file: string) => file.split("/").map(part).join("/");

interface Page {
  before?: number | undefined;
  limit?: number;
}

export interface SuspenseChoice {
  filter?: wire.SuspenseFilter;
  ids?: number[];
}

/** Groups by their numbers, or all groups that wait in a node. */
export type GroupChoice = { ids: number[] } | { node: string; key?: string };

export const gateway = {
  description: () => ask<Description>("GET", "/api/openapi.json"),
  session: () => ask<wire.Session>("GET", SESSION),
  login: (name: string, password: string) => ask<wire.Session>("POST", "/login", { body: { name, password } }),
  logout: () => ask<void>("POST", "/logout"),
  lookAtLink: (link: string) => ask<wire.Invited>("POST", "/welcome/look", { body: { link } }),
  welcome: (link: string, name: string, password: string) =>
    ask<wire.Session>("POST", "/welcome", { body: { link, name, password } }),
  changePassword: (before: string, after: string) =>
    ask<void>("PUT", "/api/password", { body: { old: before, new: after } }),

  people: () => ask<{ people: wire.Person[] }>("GET", "/api/people"),
  invite: (name: string, role: wire.Role) => ask<{ link: string }>("POST", "/api/people", { body: { name, role } }),
  changeRole: (name: string, role: wire.Role) => ask<void>("PUT", `/api/people/${part(name)}`, { body: { role } }),
  removePerson: (name: string) => ask<void>("DELETE", `/api/people/${part(name)}`),
  newLink: (name: string) => ask<{ link: string }>("POST", `/api/people/${part(name)}/link`),
  tokens: () => ask<{ tokens: wire.Token[] }>("GET", "/api/tokens"),
  makeToken: (name: string, role: wire.Role, days: number) =>
    ask<{ id: number; token: string; until: string }>("POST", "/api/tokens", { body: { name, role, days } }),
  removeToken: (id: number) => ask<void>("DELETE", `/api/tokens/${id}`),

  flow: () => ask<wire.Flow>("GET", "/api/flow"),
  look: (text: string) => ask<wire.Looked>("POST", "/api/flow/look", { body: { text }, isLong: true }),
  edit: (text: string, edits: wire.Edit[]) =>
    ask<wire.Edited>("POST", "/api/flow/edit", { body: { text, edits }, isLong: true }),
  save: (text: string, remark: string) =>
    ask<{ version: number; left_out: wire.LeftOut[]; found: string }>("POST", "/api/flow/versions", {
      body: { text, remark },
    }),
  versions: (page: Page) =>
    ask<{ versions: wire.Version[]; more: boolean }>("GET", "/api/flow/versions", { query: { ...page } }),
  version: (version: number) => ask<wire.VersionText>("GET", `/api/flow/versions/${version}`),
  activate: (version: number, seen: { based_on?: string; found: string }) =>
    ask<wire.Activation>("POST", `/api/flow/versions/${version}/activate`, { body: seen, isLong: true }),

  scripts: () => ask<{ scripts: wire.Script[] }>("GET", "/api/scripts"),
  script: (file: string) => ask<wire.ScriptText>("GET", `/api/scripts/${path(file)}`),
  beginScript: (file: string, text: string, basedOn: string | null) =>
    ask<{ digest: string }>("POST", "/api/scripts", { body: { file, text, based_on: basedOn } }),
  lookAtScript: (file: string, text: string) =>
    ask<{ diagnostics: wire.Diagnostic[] }>("POST", `/api/scripts/${path(file)}`, { body: { text } }),
  completion: (file: string, text: string, at: { line: number; column: number }) =>
    ask<wire.ScriptCompletions>("POST", `/api/completion/${path(file)}`, { body: { text, ...at } }),
  hover: (file: string, text: string, at: { line: number; column: number }) =>
    ask<{ name: wire.ScriptName | null }>("POST", `/api/hover/${path(file)}`, { body: { text, ...at } }),
  testScript: (file: string, text: string) =>
    ask<wire.ScriptTests>("POST", `/api/tests/${path(file)}`, { body: { text }, isLong: true }),
  runSamples: (file: string, body: { text: string; node: string; from: wire.SamplesFrom }) =>
    ask<wire.SampleRuns>("POST", `/api/samples/${path(file)}`, { body, isLong: true }),
  saveScript: (file: string, text: string, basedOn: string, remark: string) =>
    ask<wire.Activation>("PUT", `/api/scripts/${path(file)}`, {
      body: { text, based_on: basedOn, remark },
      isLong: true,
    }),

  tariffs: () => ask<{ tariffs: wire.Tariff[] }>("GET", "/api/tariffs"),
  explain: (plan: string, usage: wire.TariffUsage, draft: wire.TariffDraft | null) =>
    ask<wire.TariffExplained>("POST", "/api/tariffs", { body: { plan, ...usage, draft }, isLong: true }),
  tariffFiles: (plan: string, version: number) =>
    ask<{ files: wire.TariffFile[] }>("GET", `/api/tariff-versions/${version}`, { query: { plan } }),
  tariffFile: (plan: string, version: number, file: string) =>
    ask<{ text: string }>("GET", `/api/tariff-versions/${version}/${part(file)}`, { query: { plan } }),
  checkTariff: (plan: string, draft: wire.TariffDraft) =>
    ask<{ diagnostics: wire.Diagnostic[] }>("POST", "/api/tariff-versions/check", { body: { plan, draft } }),
  loadTariff: (body: { plan: string; draft: wire.TariffDraft; valid_from: string; because: string }) =>
    ask<wire.TariffLoaded>("POST", "/api/tariff-versions", { body, isLong: true }),
  withdrawTariff: (plan: string, version: number, because: string) =>
    ask<wire.Activation>("POST", `/api/tariff-versions/${version}/withdraw`, {
      body: { plan, because },
      isLong: true,
    }),
  tariffTable: (file: string) => ask<wire.TariffText>("GET", `/api/tariffs/${path(file)}`),
  lookAtTable: (file: string, text: string) =>
    ask<{ diagnostics: wire.Diagnostic[] }>("POST", `/api/tariffs/${path(file)}`, { body: { text } }),
  saveTable: (file: string, text: string, basedOn: string, remark: string) =>
    ask<wire.Activation>("PUT", `/api/tariffs/${path(file)}`, {
      body: { text, based_on: basedOn, remark },
      isLong: true,
    }),

  replay: () => ask<wire.ReplayState>("GET", "/api/replay"),
  startReplay: (body: wire.ReplayAsked) => ask<wire.ReplayState>("POST", "/api/replay", { body, isLong: true }),
  cancelReplay: () => ask<void>("DELETE", "/api/replay"),
  counters: (account: string, node: string) =>
    ask<{ counters: wire.SubscriberCounter[] }>("GET", "/api/counters", { query: { account, ...said({ node }) } }),
  doubtedCounters: () => ask<wire.DoubtedCounters>("GET", "/api/counters/in-doubt", { isLong: true }),
  changeCounters: (deed: wire.CountersDeed, node: string, to: string | null, because: string) =>
    ask<wire.ChangedCounters>("POST", "/api/counters/change", {
      body: { deed, node, ...(to === null ? {} : { to }), because },
      isLong: true,
    }),

  balance: () => ask<wire.Balance>("GET", "/api/balance"),
  history: (minutes: number) => ask<wire.History>("GET", "/api/history", { query: { minutes } }),

  alarms: (all: boolean, page: Page = {}) =>
    ask<{ alarms: wire.Alarm[]; more?: boolean }>("GET", "/api/alarms", { query: { all, ...page } }),
  acknowledge: (numbers: number[], acknowledged: boolean, remark: string) =>
    ask<{ changed: number }>("POST", "/api/alarms/acknowledge", { body: { numbers, acknowledged, remark } }),

  suspense: (filter: wire.SuspenseFilter, page: Page) =>
    ask<{ records: wire.SuspenseRecord[]; more: boolean }>("GET", "/api/suspense", { query: { ...filter, ...page } }),
  alike: (filter: wire.SuspenseFilter) =>
    ask<wire.SuspenseGroups>("GET", "/api/suspense/alike", { query: { ...filter, limit: 200 }, isLong: true }),
  suspendedNodes: () => ask<{ nodes: wire.SuspenseNode[] }>("GET", "/api/suspense/nodes"),
  suspended: async (id: number): Promise<{ detail: wire.SuspenseDetail; json: Exact | null }> => {
    const answer = parse(await askText("GET", `/api/suspense/${id}`));
    const json = answer instanceof Members ? answer.get("json") : undefined;
    return { detail: plain(answer) as unknown as wire.SuspenseDetail, json: json ?? null };
  },
  correct: (id: number, json: Exact, basedOn: string, because: string) => {
    const others = JSON.stringify({ based_on: basedOn, because });
    return askText("PUT", `/api/suspense/${id}`, { json: `{"json":${print(json)},${others.slice(1)}` });
  },
  correctOctets: (id: number, octets: string, basedOn: string, because: string) =>
    ask<{ octets: string; problem: string | null }>("PUT", `/api/suspense/${id}`, {
      body: { octets, based_on: basedOn, because },
    }),
  retry: (choice: SuspenseChoice, duplicates: boolean) =>
    ask<wire.Retried>("POST", "/api/suspense/retry", { body: { ...choice, duplicates }, isLong: true }),
  discard: (choice: SuspenseChoice, because: string) =>
    ask<{ records: number }>("POST", "/api/suspense/discard", { body: { ...choice, because }, isLong: true }),

  reopen: (choice: SuspenseChoice, because: string) =>
    ask<{ records: number }>("POST", "/api/suspense/reopen", { body: { ...choice, because }, isLong: true }),
  matching: (filter: { node?: string; key?: string }, page: { after?: number | undefined; limit?: number }) =>
    ask<{ groups: wire.MatchingGroup[]; more: boolean }>("GET", "/api/matching", {
      query: { ...said(filter), ...page },
      isLong: true,
    }),
  matchingNodes: () => ask<{ nodes: wire.MatchingNode[] }>("GET", "/api/matching/nodes"),
  matchingGroup: (id: number) => ask<{ group: wire.MatchingGroup }>("GET", `/api/matching/${id}`),
  endGroups: (end: wire.GroupEnd, choice: GroupChoice, because: string) =>
    ask<wire.GroupsEnded>("POST", "/api/matching/end", { body: { end, ...choice, because }, isLong: true }),

  files: (filter: { network_element?: string; name?: string }, page: Page) =>
    ask<{ files: wire.DoneFile[]; more: boolean }>("GET", "/api/files", { query: { ...said(filter), ...page } }),
  again: (jobs: number[], even_counters: boolean, because: string) =>
    ask<{ files: number }>("POST", "/api/files/again", { body: { jobs, even_counters, because }, isLong: true }),
  records: (query: Record<string, string>) => ask<wire.FileRecords>("GET", "/api/records", { query, isLong: true }),
  deliveries: (filter: { state?: string; all?: boolean; post_processing_system?: string }, page: Page) =>
    ask<{ deliveries: wire.Delivery[]; more?: boolean }>("GET", "/api/deliveries", {
      query: { ...said(filter), ...page },
    }),
  gathering: (post_processing_system: string) =>
    ask<{ gathering: wire.GatheringFile[] }>("GET", "/api/deliveries/gathering", {
      query: { post_processing_system },
    }),
  retryDeliveries: (ids: number[]) => ask<unknown>("POST", "/api/deliveries/retry", { body: { ids } }),
  discardDeliveries: (ids: number[], because: string) =>
    ask<{ files: number }>("POST", "/api/deliveries/discard", { body: { ids, because } }),

  audit: async (query: { from?: string; to?: string; network_element?: string }) =>
    plain(
      parse(await askText("GET", "/api/audit", { query: said(query), isLong: true })),
    ) as unknown as wire.AuditReport,
  // A counter can be larger than JavaScript's numbers.
  sequences: async (query: { from?: string; to?: string }) =>
    plain(
      parse(await askText("GET", "/api/sequences", { query: said(query), isLong: true })),
    ) as unknown as wire.SequenceReport,
  acceptMissing: ({ network_element, of, series }: wire.SequenceLine, numbers: string, because: string) =>
    ask<{ accepted: number }>("POST", "/api/sequences/accept", {
      body: { network_element, of, series, numbers, because },
    }),
  trail: (page: Page) =>
    ask<{ entries: wire.TrailEntry[]; more: boolean }>("GET", "/api/trail", { query: { ...page } }),
  trace: (query: { file?: string; output?: string; record?: number; network_element?: string }) =>
    ask<{ traced: wire.Traced[] }>("GET", "/api/trace", { query }),
  tracedWhere: (query: { where: string; file: string; after: string }) =>
    ask<{ traced: wire.Traced[]; looked: wire.LookedThrough }>("GET", "/api/trace", {
      query: said(query),
      isLong: true,
    }),
};
