/** Alerts, their cases and what is decided. */
import type {
  FraudAlert,
  FraudCase,
  FraudReportBy,
  FraudReportRow,
  FraudRule,
  WholeFraudCase,
} from "../../src/api/types.ts";
import { type FakeRoute, at, digest, isWithin, no, note, ok, page, route } from "./answering.ts";
import { IS_OPEN, actionsNow, maskedAction } from "./action-routes.ts";
import type { FakeCase } from "./fraud.ts";
import { isFor } from "./fraud-list-routes.ts";
import { LIST_NODE } from "./fraud-lists.ts";
import { hidden, isMasked } from "./fraud-masks.ts";
import type { World } from "./world.ts";

const maskedAlert = (alert: FraudAlert): FraudAlert => ({
  ...alert,
  digest: null,
  key: hidden(alert.key),
  condition: alert.condition.replace(/\d{7,}/g, "…"),
});

const without = ({ steps: _, ...of }: FakeCase): FraudCase => of;

const maskedCase = (of: FraudCase): FraudCase => ({ ...of, key: hidden(of.key) });

const FORBIDDEN = no(403, "a search by key needs the role operator, which sees subscriber data");

const HIDDEN_SUBJECT = no(
  403,
  "a report about a subject needs the role operator: others do not see subscriber data ([privacy] of the flow file)",
  "subscriber-data-hidden",
);

const unknown = (id: string | number) => no(404, `there is no case ${id}`);

const NO_REASON = no(422, "say why: a decision is read by others, and counts for the rules", "case-without-reason");

export const FRAUD_ROUTES: FakeRoute[] = [
  route("GET /api/fraud/alerts", "viewer", (world, { query }, _, who) => {
    const masked = isMasked(world, who);
    if (masked && query.has("key")) return FORBIDDEN;
    const fits = (word: "node" | "rule" | "key", of: string) => (query.get(word) ?? of) === of;
    const { rows, more } = page(
      query,
      world.fraudAlerts.filter(
        (each) =>
          fits("node", each.node) &&
          fits("rule", each.rule) &&
          fits("key", each.key) &&
          isWithin(query.get("from"), query.get("to"), each.at),
      ),
      (each) => each.id,
    );
    return ok({ alerts: masked ? rows.map(maskedAlert) : rows, more, masked });
  }),
  route("GET /api/fraud/cases", "viewer", (world, { query }, _, who) => {
    const masked = isMasked(world, who);
    if (masked && query.has("key")) return FORBIDDEN;
    const state = query.get("state") ?? "open";
    const fits = (word: "key" | "assigned", of: string | null) => !query.has(word) || query.get(word) === of;
    const all = world.fraudCases.filter(
      (each) =>
        (state === "all" || (each.decision == null) === (state === "open")) &&
        fits("key", each.key) &&
        fits("assigned", each.assigned) &&
        (!query.has("rule") || each.rules.includes(query.get("rule")!)),
    );
    const byPoints = (one: FakeCase, other: FakeCase) => other.score - one.score || one.id - other.id;
    all.sort(state === "open" ? byPoints : (one, other) => other.id - one.id);
    const { rows, more } = page(query, all, ({ id }) => id);
    const cases = rows.map(without);
    return ok({ cases: masked ? cases.map(maskedCase) : cases, more, masked });
  }),
  route("POST /api/fraud/cases/decide", "operator", (world, { body }, _, who) => {
    if (body.reason.trim() === "") return NO_REASON;
    const open = world.fraudCases.filter(({ id, decision }) => body.cases.includes(id) && decision == null);
    for (const each of open) {
      const now = at(world);
      Object.assign(each, { decision: body.decision, reason: body.reason, decided: now, decided_by: who });
      each.steps.push({ at: now, who, step: body.decision, remark: body.reason });
      note(world, who, "fraud decide", `case ${each.id}: ${body.decision}`, body.reason);
      if (body.decision === "not-fraud") refuseOf(world, each.key, body.reason);
    }
    return ok({ changed: open.length, cases: open.map(({ id }) => id) });
  }),
  route("POST /api/fraud/cases/assign", "operator", (world, { body }, _, who) => {
    const to = body.to ?? null;
    const open = world.fraudCases.filter(
      ({ id, decision, assigned }) => body.cases.includes(id) && decision == null && assigned !== to,
    );
    for (const each of open) {
      each.assigned = to;
      each.steps.push({ at: at(world), who, step: "assigned", remark: to ?? "" });
      note(world, who, "fraud assign", `case ${each.id}: to ${to ?? "no one"}`, "");
    }
    return ok({ changed: open.length, cases: open.map(({ id }) => id) });
  }),
  route("GET /api/fraud/cases/{id}", "viewer", (world, _, { id }, who) => {
    const of = world.fraudCases.find((each) => String(each.id) === id);
    return of === undefined ? unknown(id) : ok(whole(world, of, isMasked(world, who)));
  }),
  // The flow file of the pretended gateway lets viewers see one case.
  route("POST /api/fraud/cases/{id}/unmask", "viewer", (world, { body }, { id }, who) => {
    const of = world.fraudCases.find((each) => String(each.id) === id);
    if (of === undefined) return unknown(id);
    note(world, who, "fraud unmask", `case ${id}`, body.because);
    return ok(whole(world, of, false));
  }),
  route("POST /api/fraud/cases/{id}/reopen", "operator", (world, { body }, { id }, who) => {
    if (body.reason.trim() === "") return NO_REASON;
    const of = world.fraudCases.find((each) => String(each.id) === id);
    const isOpen = world.fraudCases.some(({ key, decision }) => key === of?.key && decision == null);
    if (of?.decision == null || isOpen)
      return no(409, `the case ${id} is not decided, or there is an open one about the same key`, "case-not-reopened");
    Object.assign(of, { decision: null, reason: null, decided: null, decided_by: null });
    of.steps.push({ at: at(world), who, step: "reopened", remark: body.reason });
    note(world, who, "fraud reopen", `case ${id}`, body.reason);
    return ok({ changed: 1, cases: [Number(id)] });
  }),
  route("POST /api/fraud/cases/{id}/remark", "operator", (world, { body }, { id }, who) => {
    const of = world.fraudCases.find((each) => String(each.id) === id);
    if (of === undefined) return unknown(id);
    of.steps.push({ at: at(world), who, step: "remark", remark: body.remark });
    note(world, who, "fraud remark", `case ${id}`, body.remark);
    return ok({ changed: 1, cases: [Number(id)] });
  }),
  route("GET /api/fraud/about", "viewer", (world, { query }, _, who) => {
    const key = query.get("key") ?? "";
    if (isMasked(world, who)) return HIDDEN_SUBJECT;
    noteView(world, who, "fraud about", `all about "${key}"`);
    const cases = world.fraudCases.filter((each) => each.key === key);
    const names = (subject: string) => subject.includes(`"${key}"`) || cases.some(({ id }) => subject === `case ${id}`);
    return ok({
      key,
      alerts: world.fraudAlerts.filter((each) => each.key === key),
      cases,
      actions: actionsNow(world).filter((each) => each.key === key),
      more: false,
      lists: listedIn(world, key),
      indexed: indexedOf(world, key).length,
      unread_lists: Object.keys(world.lists).filter((list) => world.lists[list] === null),
      views: world.trail.filter(({ subject }) => names(subject)),
      other_keys: otherKeys(world, key),
    });
  }),
  route("GET /api/fraud/records", "viewer", (world, { query }, _, who) => {
    const key = query.get("key") ?? "";
    if (isMasked(world, who)) return FORBIDDEN;
    noteView(world, who, "fraud records", `records about "${key}"`);
    const all = indexedOf(world, key);
    const first = Number(query.get("after") ?? 0);
    const end = first + Number(query.get("limit") ?? 50);
    return ok({
      node: query.get("node") ?? "calls",
      records: all.slice(first, end),
      next: end < all.length ? String(end) : null,
      waiting: 2,
    });
  }),
  route("POST /api/fraud/forget", "administrator", (world, { body }, _, who) => {
    const { key, because } = body;
    if (because.includes(key))
      return no(
        422,
        "the reason names the key, and stays in the audit trail: write it without",
        "reason-names-subject",
      );
    const open = world.actions.filter((each) => each.key === key && IS_OPEN.includes(each.state)).map(({ id }) => id);
    if (open.length > 0)
      return no(
        409,
        `action ${open.join(", ")} about the key wait or are being sent: approve or refuse them, or wait until they are done`,
        "subject-has-open-actions",
      );
    const alerts = world.fraudAlerts.filter((each) => each.key === key);
    const cases = world.fraudCases.filter((each) => each.key === key);
    const actions = world.actions.filter((each) => each.key === key);
    if (alerts.length + cases.length + actions.length + indexedOf(world, key).length === 0)
      return no(404, "nothing is stored about this key", "subject-unknown");
    note(world, who, "fraud forget", `subject ${digest(key)}`, because);
    const marker = `erased-${world.trail[0]!.id}`;
    for (const each of [...alerts, ...cases, ...actions]) each.key = marker;
    const indexed = indexedOf(world, key).length;
    world.fraudRecords = world.fraudRecords.filter((each) => each.key !== key);
    return ok({
      marker,
      indexed,
      alerts: alerts.length,
      records: alerts.length,
      cases: cases.length,
      steps: 0,
      actions: actions.length,
      list_hits: 0,
      trail: 1,
      mentions: 0,
      lists: [...new Set(listedIn(world, key).map(({ list }) => list))],
      other_keys: otherKeys(world, key),
    });
  }),
  route("GET /api/fraud/rules", "viewer", (world, { query }) => {
    const alerts = world.fraudAlerts.filter((each) => isWithin(query.get("from"), query.get("to"), each.at));
    const rules = [...new Set([...Object.keys(world.rules), ...alerts.map(({ rule }) => rule)])].sort();
    return ok({ rules: rules.map((rule) => figures(world, alerts, rule)) });
  }),
  route("GET /api/fraud/report", "viewer", (world, { query }) => {
    const by = (query.get("by") ?? "day") as FraudReportBy;
    const [from, to] = [query.get("from"), query.get("to")];
    const alerts = world.fraudAlerts.filter((each) => isWithin(from, to, each.at));
    const groupOf = (alert: FraudAlert) =>
      ({
        day: alert.at.slice(0, 10),
        hour: `${alert.at.slice(0, 13)}:00:00Z`,
        rule: alert.rule,
        element: alert.network_element ?? "",
        type: alert.fraud_type ?? "",
      })[by];
    const groups = [...new Set(alerts.map(groupOf))].sort();
    const rows = groups.map((of) =>
      reported(
        world,
        by,
        of,
        alerts.filter((alert) => groupOf(alert) === of),
      ),
    );
    return ok({ by, from: from ?? "", to: to ?? "", rows, total: reported(world, "day", "", alerts) });
  }),
];

/** Returns a case with all that belongs to it. */
function whole(world: World, of: FakeCase, masked: boolean): WholeFraudCase {
  const actions = actionsNow(world).filter(({ key }) => key === of.key);
  const found = world.fraudAlerts.filter((alert) => alert.case === of.id);
  const others = world.fraudCases.filter(({ id, key }) => id !== of.id && key === of.key).map(without);
  return {
    ...(masked ? maskedCase(without(of)) : without(of)),
    actions: masked ? actions.map(maskedAction) : actions,
    found: masked ? found.map(maskedAlert) : found,
    steps: of.steps,
    others: masked ? others.map(maskedCase) : others,
    unmaskable: masked,
    masked,
  };
}

const listedIn = (world: World, key: string) =>
  Object.entries(world.lists).flatMap(([list, entries]) =>
    (entries ?? []).filter((each) => isFor(each.key, key)).map((each) => ({ ...each, list, nodes: [LIST_NODE] })),
  );

const indexedOf = (world: World, key: string) =>
  world.fraudRecords.filter((each) => each.key === key).map(({ of }) => of);

/** Returns the keys of pairs that have a key as a part. */
const otherKeys = (world: World, key: string) => [
  ...new Set(world.fraudAlerts.map((each) => each.key).filter((each) => each.split(">").includes(key) && each !== key)),
];

/** Notes a view, once: the gateway has one entry of the same view in ten minutes. */
function noteView(world: World, who: string, action: string, subject: string): void {
  const isThere = world.trail.some((each) => each.who === who && each.action === action && each.subject === subject);
  if (!isThere) note(world, who, action, subject, "");
}

function reported(world: World, by: FraudReportBy, of: string, alerts: readonly FraudAlert[]): FraudReportRow {
  const cases = world.fraudCases.filter(({ id }) => alerts.some((alert) => alert.case === id));
  const those = (decision: string) => cases.filter((each) => each.decision === decision).length;
  const hasRecords = by !== "rule" && by !== "type";
  const real = alerts.filter(({ shadow }) => shadow !== true);
  return {
    of,
    node: by === "rule" ? "calls" : null,
    records: hasRecords ? 1_000 * alerts.length : null,
    late: hasRecords ? 3 : null,
    alerts: real.length,
    shadow: alerts.length - real.length,
    points: real.reduce((sum, { score }) => sum + score, 0),
    cases: cases.length,
    fraud: those("fraud"),
    not_fraud: those("not-fraud"),
    unsure: those("unsure"),
    actions: by === "element" ? null : 0,
  };
}

/** Refuses what is not sent yet about a key. */
function refuseOf(world: World, key: string, reason: string): void {
  for (const action of world.actions)
    if (action.key === key && ["new", "waiting", "held", "due"].includes(action.state))
      Object.assign(action, { state: "refused", problem: reason });
}

function figures(world: World, alerts: readonly FraudAlert[], rule: string): FraudRule {
  const own = alerts.filter((each) => each.rule === rule);
  const cases = world.fraudCases.filter(({ id }) => own.some((alert) => alert.case === id));
  const those = (decision: string | null) => cases.filter((each) => each.decision === decision).length;
  const [fraud, not_fraud] = [those("fraud"), those("not-fraud")];
  return {
    node: "calls",
    rule,
    running: world.rules[rule] ?? null,
    alerts: own.filter(({ shadow }) => shadow !== true).length,
    shadow: own.filter(({ shadow }) => shadow === true).length,
    cases: cases.length,
    open: those(null),
    fraud,
    not_fraud,
    unsure: those("unsure"),
    precision_percent: fraud + not_fraud === 0 ? null : Math.floor((fraud * 100) / (fraud + not_fraud)),
    seconds_to_decide: cases.some(({ decided }) => decided != null) ? 1_440 : null,
  };
}
