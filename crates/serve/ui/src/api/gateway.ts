/** The requests of the API, one line each. */
import type * as wire from "./types";
import type { Description } from "../reference/describe";
import { type BodyOf, type QueryOf, ask, askText, askWide } from "./ask";
import { parsed, request, said } from "./client";
import { type Exact, ExactNumber, Members, parse, print } from "./exact-json";

/** A page of a list. The first one is before nothing. */
type Page = QueryOf<"GET /api/flow/versions">;

export type SuspenseChoice = Pick<BodyOf<"POST /api/suspense/retry">, "filter" | "ids">;

/** Groups by their numbers, or all groups that wait in a node. */
export type GroupChoice = { ids: number[] } | { node: string; key?: string };

/** A request of a trial call. */
export type TrialRequest = BodyOf<"POST /api/accounts/{account}/trial">;

/** Serial numbers of vouchers: all of a batch without a bound. They have more digits than JavaScript's numbers. */
export interface SerialRange {
  first?: bigint;
  last?: bigint;
}

/** The segments of a name with folders. */
const folders = (file: string) => file.split("/");

export const gateway = {
  description: async () => parsed(await request("GET", "/api/openapi.json")) as Description,
  session: () => ask("GET /api/session"),
  login: (name: string, password: string) => ask("POST /login", { body: { name, password } }),
  logout: () => ask("POST /logout"),
  lookAtLink: (link: string) => ask("POST /welcome/look", { body: { link } }),
  welcome: (link: string, name: string, password: string) => ask("POST /welcome", { body: { link, name, password } }),
  changePassword: (before: string, after: string) => ask("PUT /api/password", { body: { old: before, new: after } }),

  people: () => ask("GET /api/people"),
  invite: (name: string, role: wire.Role) => ask("POST /api/people", { body: { name, role } }),
  changeRole: (name: string, role: wire.Role) => ask("PUT /api/people/{name}", { path: { name }, body: { role } }),
  removePerson: (name: string) => ask("DELETE /api/people/{name}", { path: { name } }),
  newLink: (name: string) => ask("POST /api/people/{name}/link", { path: { name } }),
  tokens: () => ask("GET /api/tokens"),
  makeToken: (name: string, role: wire.Role, days: number) => ask("POST /api/tokens", { body: { name, role, days } }),
  removeToken: (id: number) => ask("DELETE /api/tokens/{id}", { path: { id } }),

  flow: () => ask("GET /api/flow"),
  look: (text: string) => ask("POST /api/flow/look", { body: { text }, isLong: true }),
  edit: (text: string, edits: wire.Edit[]) => ask("POST /api/flow/edit", { body: { text, edits }, isLong: true }),
  save: (text: string, remark: string) => ask("POST /api/flow/versions", { body: { text, remark } }),
  versions: (page: Page) => ask("GET /api/flow/versions", { query: page }),
  version: (version: number) => ask("GET /api/flow/versions/{version}", { path: { version } }),
  consequences: (of: BodyOf<"POST /api/flow/consequences">) =>
    ask("POST /api/flow/consequences", { body: of, isLong: true }),
  activate: (version: number, seen: BodyOf<"POST /api/flow/versions/{version}/activate">) =>
    ask("POST /api/flow/versions/{version}/activate", { path: { version }, body: seen, isLong: true }),

  reject: (version: number, because: string) =>
    ask("POST /api/flow/versions/{version}/reject", { path: { version }, body: { because } }),

  scripts: () => ask("GET /api/scripts"),
  script: (file: string) => ask("GET /api/scripts/{file}", { path: { file: folders(file) } }),
  beginScript: (file: string, text: string, basedOn?: string) =>
    ask("POST /api/scripts", { body: { file, text, ...(basedOn !== undefined && { based_on: basedOn }) } }),
  lookAtScript: (file: string, text: string) =>
    ask("POST /api/scripts/{file}", { path: { file: folders(file) }, body: { text } }),
  analysis: (file: string, text: string, method: string, params: unknown) =>
    ask("POST /api/analysis/{file}", { path: { file: folders(file) }, body: { text, method, params } }),
  module: (file: string) => ask("GET /api/module", { query: { file } }),
  testScript: (file: string, text: string) =>
    ask("POST /api/tests/{file}", { path: { file: folders(file) }, body: { text }, isLong: true }),
  runSamples: (file: string, body: BodyOf<"POST /api/samples/{file}">) =>
    ask("POST /api/samples/{file}", { path: { file: folders(file) }, body, isLong: true }),
  saveScript: (file: string, text: string, basedOn: string, remark: string) =>
    ask("PUT /api/scripts/{file}", {
      path: { file: folders(file) },
      body: { text, based_on: basedOn, remark },
      isLong: true,
    }),

  tariffs: () => ask("GET /api/tariffs"),
  explain: (usage: wire.TariffUsage) => ask("POST /api/tariffs", { body: usage, isLong: true }),
  tariffFiles: (plan: string, version: number) =>
    ask("GET /api/tariff-versions/{version}", { path: { version }, query: { plan } }),
  tariffFile: (plan: string, version: number, file: string) =>
    ask("GET /api/tariff-versions/{version}/{file}", { path: { version, file }, query: { plan } }),
  checkTariff: (plan: string, draft: wire.TariffDraft) =>
    ask("POST /api/tariff-versions/check", { body: { plan, draft } }),
  loadTariff: (body: BodyOf<"POST /api/tariff-versions">) => ask("POST /api/tariff-versions", { body, isLong: true }),
  withdrawTariff: (plan: string, version: number, because: string) =>
    ask("POST /api/tariff-versions/{version}/withdraw", { path: { version }, body: { plan, because }, isLong: true }),
  tariffTable: (file: string) => ask("GET /api/tariffs/{file}", { path: { file: folders(file) } }),
  lookAtTable: (file: string, text: string) =>
    ask("POST /api/tariffs/{file}", { path: { file: folders(file) }, body: { text } }),
  saveTable: (file: string, text: string, basedOn: string, remark: string) =>
    ask("PUT /api/tariffs/{file}", {
      path: { file: folders(file) },
      body: { text, based_on: basedOn, remark },
      isLong: true,
    }),

  replay: () => ask("GET /api/replay"),
  startReplay: (body: wire.ReplayAsked) => ask("POST /api/replay", { body, isLong: true }),
  cancelReplay: () => ask("DELETE /api/replay"),
  counters: (account: string, node: string) => ask("GET /api/counters", { query: { account, ...said({ node }) } }),
  doubtedCounters: () => ask("GET /api/counters/in-doubt", { isLong: true }),
  changeCounters: (deed: wire.CountersAction, node: string, to: string | null, because: string) =>
    ask("POST /api/counters/change", { body: { deed, node, ...(to !== null && { to }), because }, isLong: true }),

  charging: () => ask("GET /api/charging"),
  chargingTrail: (query: QueryOf<"GET /api/charging/trail">) => ask("GET /api/charging/trail", { query }),
  chargingVersions: (query: QueryOf<"GET /api/charging/versions">) => ask("GET /api/charging/versions", { query }),
  chargingVersionFile: (version: number, file: string) =>
    ask("GET /api/charging/versions/{version}/file", { path: { version }, query: { file } }),
  restoreChargingVersion: (version: number, body: BodyOf<"POST /api/charging/versions/{version}/restore">) =>
    ask("POST /api/charging/versions/{version}/restore", { path: { version }, body }),
  peers: () => ask("GET /api/charging/peers"),
  allowPeer: (peer: string, body: BodyOf<"POST /api/charging/peers/{peer}/allow">) =>
    ask("POST /api/charging/peers/{peer}/allow", { path: { peer }, body }),
  messages: (query: QueryOf<"GET /api/charging/messages">) => ask("GET /api/charging/messages", { query: said(query) }),
  traces: () => ask("GET /api/charging/traces"),
  startTrace: (body: BodyOf<"POST /api/charging/traces">) => ask("POST /api/charging/traces", { body }),
  tracePart: (trace: number, query: QueryOf<"GET /api/charging/traces/{trace}">) =>
    ask("GET /api/charging/traces/{trace}", { path: { trace }, query, isLong: true }),
  endTrace: (trace: number, because: string) =>
    ask("POST /api/charging/traces/{trace}/end", { path: { trace }, body: { because } }),
  removeTrace: (trace: number, because: string) =>
    ask("POST /api/charging/traces/{trace}/remove", { path: { trace }, body: { because } }),
  accounts: (query: QueryOf<"GET /api/accounts">) => ask("GET /api/accounts", { query: said(query) }),
  openAccount: (body: BodyOf<"POST /api/accounts">) => ask("POST /api/accounts", { body }),
  importSubscribers: (subscribers: wire.NewSubscriber[], only_check: boolean) =>
    ask("POST /api/accounts/import", { body: { subscribers, only_check }, isLong: true }),
  account: (account: string) => ask("GET /api/accounts/{account}", { path: { account } }),
  accountHistory: (account: string, query: QueryOf<"GET /api/accounts/{account}/history">) =>
    // Only serial numbers of vouchers may be beyond the safe range, and these are shown, not computed with.
    askWide("GET /api/accounts/{account}/history", { path: { account }, query }) as Promise<wire.AccountHistory>,
  notices: (account: string) => ask("GET /api/accounts/{account}/notices", { path: { account } }),
  refusals: (account: string) => ask("GET /api/accounts/{account}/refusals", { path: { account } }),
  refill: (account: string, body: BodyOf<"POST /api/accounts/{account}/refill">) =>
    ask("POST /api/accounts/{account}/refill", { path: { account }, body }),
  buyBundle: (account: string, body: BodyOf<"POST /api/accounts/{account}/buy">) =>
    ask("POST /api/accounts/{account}/buy", { path: { account }, body }),
  cancelBundle: (account: string, bundle: string, because: string) =>
    ask("POST /api/accounts/{account}/bundles/{bundle}/cancel", { path: { account, bundle }, body: { because } }),
  setBarred: (account: string, body: BodyOf<"POST /api/accounts/{account}/barred">) =>
    ask("POST /api/accounts/{account}/barred", { path: { account }, body }),
  setSubscriberType: (account: string, subscriber_type: string, because: string) =>
    ask("POST /api/accounts/{account}/subscriber-type", { path: { account }, body: { subscriber_type, because } }),
  setCreditLimit: (account: string, credit_limit: string, because: string) =>
    ask("POST /api/accounts/{account}/credit-limit", { path: { account }, body: { credit_limit, because } }),
  approvals: () => ask("GET /api/charging/approvals"),
  approveRequest: (request: number, because: string) =>
    ask("POST /api/charging/approvals/{request}/approve", { path: { request }, body: { because } }),
  rejectRequest: (request: number, because: string) =>
    ask("POST /api/charging/approvals/{request}/reject", { path: { request }, body: { because } }),
  adjust: (account: string, body: BodyOf<"POST /api/accounts/{account}/adjust">) =>
    ask("POST /api/accounts/{account}/adjust", { path: { account }, body }),
  transfer: (account: string, body: BodyOf<"POST /api/accounts/{account}/transfer">) =>
    ask("POST /api/accounts/{account}/transfer", { path: { account }, body }),
  reverseEntry: (account: string, entry: number, because: string) =>
    ask("POST /api/accounts/{account}/entries/{entry}/reverse", {
      path: { account, entry },
      body: { because },
    }),
  setStanding: (account: string, standing: wire.AccountStanding, because: string) =>
    ask("POST /api/accounts/{account}/standing", { path: { account }, body: { standing, because } }),
  addNumber: (account: string, number: string, because: string) =>
    ask("POST /api/accounts/{account}/numbers", { path: { account }, body: { number, because } }),
  removeNumber: (number: string, because: string) =>
    ask("POST /api/numbers/{number}/remove", { path: { number }, body: { because } }),
  endSession: (account: string, session: string, because: string) =>
    ask("POST /api/accounts/{account}/sessions/{session}/end", {
      path: { account, session },
      body: { because },
    }),
  sessions: (query: QueryOf<"GET /api/charging/sessions">) => ask("GET /api/charging/sessions", { query: said(query) }),
  price: (account: string, query: QueryOf<"GET /api/accounts/{account}/price">) =>
    ask("GET /api/accounts/{account}/price", { path: { account }, query }),
  sendTrialRequest: (account: string, body: TrialRequest) =>
    ask("POST /api/accounts/{account}/trial", { path: { account }, body }),
  makeVouchers: (body: BodyOf<"POST /api/vouchers">) => askWide("POST /api/vouchers", { body, isLong: true }),
  voucher: (serial: bigint) => askWide("GET /api/vouchers/{serial}", { path: { serial } }),
  activateVouchers: (batch: number, because: string) =>
    ask("POST /api/voucher-batches/{batch}/activate", { path: { batch }, body: { because } }),
  blockVouchers: (batch: number, range: SerialRange, because: string) => {
    const bounds = Object.entries(range).map(([name, serial]) => [name, new ExactNumber(String(serial))] as const);
    const json = print(new Members([...bounds, ["because", because]]));
    return ask("POST /api/voucher-batches/{batch}/block", { path: { batch }, json });
  },
  useVoucher: (account: string, pin: string) =>
    askWide("POST /api/accounts/{account}/voucher", { path: { account }, body: { pin } }),
  checkBooks: () => ask("GET /api/charging/check", { isLong: true }),
  entries: (query: QueryOf<"GET /api/charging/entries">) => ask("GET /api/charging/entries", { query, isLong: true }),
  sums: (query: QueryOf<"GET /api/charging/sums">) => ask("GET /api/charging/sums", { query, isLong: true }),

  balance: () => ask("GET /api/balance"),
  history: (minutes: number) => ask("GET /api/history", { query: { minutes } }),

  alarms: (all: boolean, query: QueryOf<"GET /api/alarms"> = {}) =>
    ask("GET /api/alarms", { query: { ...said(query), all } }),
  acknowledge: (numbers: number[], acknowledged: boolean, remark: string) =>
    ask("POST /api/alarms/acknowledge", { body: { numbers, acknowledged, remark } }),

  suspense: (filter: wire.SuspenseFilter, page: Page) => ask("GET /api/suspense", { query: { ...filter, ...page } }),
  alike: (filter: wire.SuspenseFilter) =>
    ask("GET /api/suspense/alike", { query: { ...filter, limit: 200 }, isLong: true }),
  suspendedNodes: () => ask("GET /api/suspense/nodes"),
  // The numbers of a record can be of any size.
  suspended: async (id: number): Promise<{ detail: wire.SuspenseDetail; json: Exact | null }> => {
    const text = await askText("GET /api/suspense/{id}", { path: { id } });
    const answer = parse(text);
    const json = answer instanceof Members ? answer.get("json") : undefined;
    return { detail: parsed(text) as wire.SuspenseDetail, json: json ?? null };
  },
  correct: (id: number, json: Exact, basedOn: string, because: string) => {
    const others: Omit<BodyOf<"PUT /api/suspense/{id}">, "json"> = { based_on: basedOn, because };
    return ask("PUT /api/suspense/{id}", {
      path: { id },
      json: `{"json":${print(json)},${JSON.stringify(others).slice(1)}`,
    });
  },
  correctOctets: (id: number, octets: string, basedOn: string, because: string) =>
    ask("PUT /api/suspense/{id}", { path: { id }, body: { octets, based_on: basedOn, because } }),
  retry: (choice: SuspenseChoice, duplicates: boolean) =>
    ask("POST /api/suspense/retry", { body: { ...choice, duplicates }, isLong: true }),
  takeBackRetries: (choice: SuspenseChoice) =>
    ask("POST /api/suspense/retry/take-back", { body: { ...choice }, isLong: true }),
  discard: (choice: SuspenseChoice, because: string) =>
    ask("POST /api/suspense/discard", { body: { ...choice, because }, isLong: true }),
  reopen: (choice: SuspenseChoice, because: string) =>
    ask("POST /api/suspense/reopen", { body: { ...choice, because }, isLong: true }),

  matching: (query: QueryOf<"GET /api/matching">) => ask("GET /api/matching", { query: said(query), isLong: true }),
  matchingNodes: () => ask("GET /api/matching/nodes"),
  matchingGroup: (id: number) => ask("GET /api/matching/{id}", { path: { id } }),
  endGroups: (end: wire.GroupEnd, choice: GroupChoice, because: string) =>
    ask("POST /api/matching/end", { body: { end, ...choice, because }, isLong: true }),

  fraudAlerts: (query: QueryOf<"GET /api/fraud/alerts">) => ask("GET /api/fraud/alerts", { query: said(query) }),
  fraudCases: (query: QueryOf<"GET /api/fraud/cases">) => ask("GET /api/fraud/cases", { query: said(query) }),
  fraudCase: (id: number) => ask("GET /api/fraud/cases/{id}", { path: { id } }),
  decideFraud: (cases: number[], decision: wire.FraudDecision, reason: string) =>
    ask("POST /api/fraud/cases/decide", { body: { cases, decision, reason } }),
  // Without a user, to no one.
  assignFraud: (cases: number[], to: string | null) => ask("POST /api/fraud/cases/assign", { body: { cases, to } }),
  reopenFraud: (id: number, reason: string) =>
    ask("POST /api/fraud/cases/{id}/reopen", { path: { id }, body: { reason } }),
  remarkFraud: (id: number, remark: string) =>
    ask("POST /api/fraud/cases/{id}/remark", { path: { id }, body: { remark } }),
  unmaskFraud: (id: number, because: string) =>
    ask("POST /api/fraud/cases/{id}/unmask", { path: { id }, body: { because } }),
  requestAction: (id: number, action: string, reason: string) =>
    ask("POST /api/fraud/cases/{id}/action", { path: { id }, body: { action, reason } }),
  fraudRules: (query: QueryOf<"GET /api/fraud/rules">) => ask("GET /api/fraud/rules", { query: said(query) }),
  fraudReport: (query: QueryOf<"GET /api/fraud/report">) => ask("GET /api/fraud/report", { query: said(query) }),
  ruleFiles: () => ask("GET /api/fraud/rule-files"),
  ruleFile: (file: string) => ask("GET /api/fraud/rule-files/{file}", { path: { file: folders(file) } }),
  checkRuleFile: (file: string, text: string) =>
    ask("POST /api/fraud/rule-files/{file}", { path: { file: folders(file) }, body: { text } }),
  // A new file is based on no text.
  saveRuleFile: (file: string, text: string, basedOn: string, remark: string) =>
    ask("PUT /api/fraud/rule-files/{file}", {
      path: { file: folders(file) },
      body: { text, ...(basedOn !== "" && { based_on: basedOn }), remark },
      isLong: true,
    }),
  fraudLists: () => ask("GET /api/fraud/lists", { isLong: true }),
  fraudList: (name: string, query: QueryOf<"GET /api/fraud/lists/{name}">) =>
    ask("GET /api/fraud/lists/{name}", { path: { name }, query: said(query), isLong: true }),
  addToFraudList: (name: string, body: BodyOf<"POST /api/fraud/lists/{name}/add">) =>
    ask("POST /api/fraud/lists/{name}/add", { path: { name }, body, isLong: true }),
  removeFromFraudList: (name: string, body: BodyOf<"POST /api/fraud/lists/{name}/remove">) =>
    ask("POST /api/fraud/lists/{name}/remove", { path: { name }, body, isLong: true }),
  importFraudList: (name: string, body: BodyOf<"POST /api/fraud/lists/{name}/import">) =>
    ask("POST /api/fraud/lists/{name}/import", { path: { name }, body, isLong: true }),
  aboutFraud: (key: string) => ask("GET /api/fraud/about", { query: { key }, isLong: true }),
  fraudRecords: ({ key, ...page }: QueryOf<"GET /api/fraud/records">) =>
    ask("GET /api/fraud/records", { query: { key, ...said(page) }, isLong: true }),
  forgetFraud: (key: string, because: string) =>
    ask("POST /api/fraud/forget", { body: { key, because }, isLong: true }),
  approveRule: (body: BodyOf<"POST /api/fraud/rules/approve">) => ask("POST /api/fraud/rules/approve", { body }),

  actions: (query: QueryOf<"GET /api/actions">) => ask("GET /api/actions", { query: said(query) }),
  approveActions: (actions: number[]) => ask("POST /api/actions/approve", { body: { actions } }),
  refuseActions: (actions: number[], reason: string) => ask("POST /api/actions/refuse", { body: { actions, reason } }),
  undoActions: (actions: number[], reason: string) => ask("POST /api/actions/undo", { body: { actions, reason } }),
  stopActions: (reason: string) => ask("POST /api/actions/stop", { body: { reason } }),
  resumeActions: (reason: string) => ask("POST /api/actions/resume", { body: { reason } }),

  files: (query: QueryOf<"GET /api/files">) => ask("GET /api/files", { query: said(query) }),
  refusedFiles: (query: QueryOf<"GET /api/files/refused">) => ask("GET /api/files/refused", { query: said(query) }),
  again: (jobs: number[], even_counters: boolean, because: string) =>
    ask("POST /api/files/again", { body: { jobs, even_counters, because }, isLong: true }),
  records: (query: QueryOf<"GET /api/records">) => ask("GET /api/records", { query, isLong: true }),
  deliveries: (query: QueryOf<"GET /api/deliveries">) => ask("GET /api/deliveries", { query: said(query) }),
  gathering: (post_processing_system: string) =>
    ask("GET /api/deliveries/gathering", { query: { post_processing_system } }),
  retryDeliveries: (ids: number[]) => ask("POST /api/deliveries/retry", { body: { ids } }),
  discardDeliveries: (ids: number[], because: string) =>
    ask("POST /api/deliveries/discard", { body: { ids, because } }),

  audit: (query: QueryOf<"GET /api/audit">) => askWide("GET /api/audit", { query: said(query), isLong: true }),
  sequences: (query: QueryOf<"GET /api/sequences">) =>
    askWide("GET /api/sequences", { query: said(query), isLong: true }),
  acceptMissing: (body: BodyOf<"POST /api/sequences/accept">) => ask("POST /api/sequences/accept", { body }),
  trail: (query: QueryOf<"GET /api/trail">) => ask("GET /api/trail", { query: said(query) }),
  trace: (query: QueryOf<"GET /api/trace">) => ask("GET /api/trace", { query }),
  // Records alone, by what is in them, are looked for long. A file by its name is found at once.
  tracedWhere: (query: QueryOf<"GET /api/trace">) => ask("GET /api/trace", { query: said(query), isLong: true }),
};
