/** The subjects of an operator's work: alarms, suspense, files, deliveries, reports. */
import type { BodyOf } from "../../src/api/ask.ts";
import type {
  SuspenseDetail,
  SuspenseFilter,
  SuspenseGroup,
  SuspenseNode,
  SuspenseRecord,
} from "../../src/api/types.ts";
import {
  type Answer,
  type FakeRoute,
  type Params,
  at,
  digest,
  isWithin,
  no,
  note,
  ok,
  page,
  route,
} from "./answering.ts";
import { fileRecords } from "./file-records.ts";
import { audit, balance, history, sequences } from "./reports.ts";
import { CALL_TYPES } from "./records.ts";
import { minutes } from "./time.ts";
import { found, way } from "./traces.ts";
import type { World } from "./world.ts";

function fits(record: World["suspense"][number], filter: SuspenseFilter): boolean {
  const isSaid = KEYS.every((key) => filter[key] == null || record[key] === filter[key]);
  const hasValue = filter.value == null || record.values.some(({ value }) => value === filter.value);
  const isLike = filter.template == null || templateOf(record) === filter.template;
  const isThen = isWithin(filter.from, filter.to, record.since);
  return isSaid && hasValue && isLike && isThen && record.id <= (filter.up_to ?? Infinity);
}

/** Returns the reason with the names of its values. */
const templateOf = ({ reason, values }: World["suspense"][number]) =>
  values.reduce((text, { name, value }) => text.replace(value, `{${name}}`), reason);

/** Counts a value of a record of a group. */
function addTo({ common }: SuspenseGroup, { name, value }: World["suspense"][number]["values"][number]): void {
  const known = common.find((each) => each.name === name) ?? { name, values: [], others: 0 };
  if (!common.includes(known)) common.push(known);
  const counted = known.values.find((each) => each.value === value);
  if (counted === undefined) known.values.push({ value, records: 1 });
  else counted.records += 1;
}

/** Returns octets. They differ after a correction. */
const octetsOf = ({ edited, json }: World["suspense"][number]) =>
  "a081f2800102810824001700000010f08206917010325476830791701032547684".repeat(4) +
  (edited ? digest(json ?? "").padStart(8, "0") : "");

const KEYS = ["network_element", "file", "node", "reason", "code", "state"] as const;

const WORDS = [...KEYS, "template", "value", "from", "to"] as const;

const filterOf = (query: Params<(typeof WORDS)[number]>): SuspenseFilter =>
  Object.fromEntries(WORDS.flatMap((key) => (query.has(key) ? [[key, query.get(key)]] : [])));

/** What an action on suspense is about. */
type Choice = Omit<BodyOf<"POST /api/suspense/discard">, "because">;

/** Refuses a request that does not say which records it means, or that names records of another state. */
function unsaid({ filter, ids, all }: Choice, state = "open"): Answer<never> | null {
  const { state: said = state, ...others } = filter ?? {};
  if (said !== state) return no(422, `only records that are ${state} are meant`);
  if (ids != null || all === true || Object.keys(others).length > 0) return null;
  return no(422, "say which records are meant: ids, a filter that says something, or all");
}

const chosen = (world: World, { filter, ids }: Choice, state = "open") =>
  world.suspense.filter((each) => each.state === state && (ids?.includes(each.id) ?? fits(each, filter ?? {})));

/** The node whose records are not retried at once: a file is in work there. */
const BUSY = "home-v5";

const shown = (found: World["suspense"][number]): SuspenseRecord => {
  const { json: _, ...record } = found;
  return { ...record, octets: octetsOf(found) };
};

export const WORK_ROUTES: FakeRoute[] = [
  route("GET /api/records", "viewer", (world, { query }) => fileRecords(world, query)),
  route("GET /api/balance", "viewer", (world) => ok(balance(world))),
  route("GET /api/history", "viewer", (world, { query }) => ok(history(world, Number(query.get("minutes") ?? 60)))),
  route("GET /api/alarms", "viewer", (world, { query }) =>
    ok({
      alarms: world.alarms.filter(
        (each) =>
          (query.get("all") === "true" || each.cleared == null) &&
          Date.parse(each.raised) < Date.parse(query.get("to") ?? "9999-01-01") &&
          Date.parse(each.cleared ?? "9999-01-01") > Date.parse(query.get("from") ?? "1970-01-01"),
      ),
      more: false,
    }),
  ),
  route("POST /api/alarms/acknowledge", "operator", (world, { body }, _, who) => {
    const { numbers = [], acknowledged = true, remark = "" } = body;
    for (const alarm of world.alarms) {
      if (numbers.includes(alarm.id)) alarm.acknowledged = acknowledged ? { who, at: at(world), remark } : null;
    }
    note(world, who, "alarms acknowledge", numbers.join(", "), remark);
    return ok({ changed: numbers.length }, "alarms");
  }),

  route("GET /api/suspense", "viewer", (world, { query }) => {
    const { rows, more } = page(
      query,
      world.suspense.filter((each) => fits(each, filterOf(query))).sort((a, b) => b.id - a.id),
      (each) => each.id,
    );
    return ok({ records: rows.map(shown), more });
  }),
  route("GET /api/suspense/alike", "viewer", (world, { query }) => {
    const groups = new Map<string, SuspenseGroup>();
    for (const record of world.suspense.filter((each) => fits(each, filterOf(query)))) {
      const { id, network_element, node, code } = record;
      const template = templateOf(record);
      const key = [network_element, node, template].join("\n");
      const none = { records: 0, network_element, node, code, template, reason: template, common: [], counted: 0 };
      const group: SuspenseGroup = groups.get(key) ?? { ...none, first: id, last: id };
      for (const value of record.values) addTo(group, value);
      if (record.values.length > 0) group.counted += 1;
      group.records += 1;
      group.last = Math.max(group.last, id);
      groups.set(key, group);
    }
    const all = [...groups.values()].sort((a, b) => b.records - a.records);
    return ok({
      groups: all.slice(0, Number(query.get("limit") ?? 50)),
      more: all.length > Number(query.get("limit") ?? 50),
      records: all.reduce((sum, group) => sum + group.records, 0),
      last: Math.max(0, ...all.map((group) => group.last)),
    });
  }),
  route("GET /api/suspense/nodes", "viewer", (world) => {
    const nodes = new Map<string, SuspenseNode>();
    for (const { network_element, node } of world.suspense.filter((each) => each.state === "open")) {
      const key = [network_element, node].join("\n");
      nodes.set(key, { network_element, node, records: (nodes.get(key)?.records ?? 0) + 1 });
    }
    return ok({ nodes: [...nodes.values()] });
  }),
  route("POST /api/suspense/retry", "operator", (world, { body }) => {
    const refused = unsaid(body);
    if (refused !== null) return refused;
    const records = chosen(world, body);
    const waiting = records.filter((each) => each.node === BUSY);
    const done = records.filter((each) => each.node !== BUSY);
    const mended = done.filter((each) => each.edited || body.filter != null);
    for (const each of waiting) each.asked = true;
    for (const each of mended) each.state = "retried";
    for (const each of done) each.retries += 1;
    return ok({
      asked: records.length,
      records: done.length,
      delivered: mended.length,
      filtered: 0,
      held: 0,
      suspended: done.length - mended.length,
      duplicate: 0,
      waiting: waiting.length,
      taken_back: 0,
      left: 0,
      damaged: [],
      reasons: [],
    });
  }),
  route("POST /api/suspense/retry/take-back", "operator", (world, { body }, _, who) => {
    const refused = unsaid(body);
    if (refused !== null) return refused;
    const records = chosen(world, body).filter((each) => each.asked);
    for (const each of records) each.asked = false;
    if (records.length > 0) note(world, who, "suspense retry --take-back", `${records.length} records`, "");
    return ok({ taken_back: records.length });
  }),
  route("POST /api/suspense/discard", "operator", (world, { body }, _, who) => {
    const refused = unsaid(body);
    if (refused !== null) return refused;
    const records = chosen(world, body);
    for (const each of records) each.state = "discarded";
    note(world, who, "suspense discard", `${records.length} records`, body.because);
    return ok({ records: records.length, to_be_retried: 0 });
  }),
  route("POST /api/suspense/reopen", "operator", (world, { body }, _, who) => {
    const refused = unsaid(body, "discarded");
    if (refused !== null) return refused;
    const records = chosen(world, body, "discarded");
    for (const each of records) each.state = "open";
    note(world, who, "suspense reopen", `${records.length} records`, body.because);
    return ok({ records: records.length });
  }),
  route("GET /api/suspense/{id}", "viewer", (world, _, { id }) => {
    const found = world.suspense.find((each) => String(each.id) === id);
    if (found === undefined) return no(404, `there is no record ${id} in suspense`);
    const { json } = found;
    const rest: SuspenseDetail = {
      record: shown(found),
      octets: octetsOf(found),
      came: found.edited ? "a081f280" : null,
      types: json === null ? null : CALL_TYPES,
      problem: json === null ? "the length at octet 14 goes beyond the record" : null,
      history:
        found.retries > 0
          ? [
              {
                at: found.since,
                who: "otto",
                action: "retry",
                because: "",
                outcome: "suspended",
                reason: found.reason,
              },
            ]
          : [],
    };
    return { status: 200, json: JSON.stringify(rest).replace(/^\{/, `{"json":${json ?? "null"},`) };
  }),
  route("PUT /api/suspense/{id}", "operator", (world, { body, raw }, { id }, who) => {
    const found = world.suspense.find((each) => String(each.id) === id)!;
    if (body.based_on !== octetsOf(found))
      return no(409, `record ${id} was corrected by another user meanwhile: nothing was changed`);
    found.edited = true;
    note(world, who, "suspense edit", `record ${id}`, body.because);
    if (body.octets != null) {
      found.json = '{"moCallRecord":{"callDuration":61}}';
      return ok({ octets: body.octets, problem: null });
    }
    found.json = raw;
    return ok({ octets: octetsOf(found), problem: null });
  }),

  route("GET /api/files", "viewer", (world, { query }) => {
    const name = query.get("name");
    const element = query.get("network_element");
    const { rows, more } = page(
      query,
      world.files.filter(
        (each) =>
          (name === null || each.file.includes(name)) &&
          (element === null || each.network_element === element) &&
          isWithin(query.get("from"), query.get("to"), each.done) &&
          (query.get("code") ?? each.code) === each.code,
      ),
      (each) => each.job,
    );
    return ok({ files: rows, more });
  }),
  route("GET /api/files/refused", "viewer", (world, { query }) =>
    ok({
      files: world.refusedFiles.filter((each) => (query.get("code") ?? each.code) === each.code),
      more: false,
    }),
  ),
  route("POST /api/files/again", "operator", (world, { body }, _, who) => {
    if (body.even_counters !== true && body.because === "counted")
      return no(409, '"rated" keeps counters of subscribers, which would count what comes again once more');
    const jobs = body.jobs ?? [];
    const files = world.files.filter((each) => jobs.includes(each.job) && !each.may_come_again);
    for (const each of files) each.may_come_again = true;
    note(world, who, "files again", `${files.length} files`, body.because);
    return ok({ files: files.length });
  }),
  route("GET /api/deliveries", "viewer", (world, { query }) =>
    ok({
      deliveries: world.deliveries.filter(
        (each) =>
          isWithin(query.get("from"), query.get("to"), each.since) &&
          (query.get("state") ?? each.state) === each.state &&
          (query.get("all") === "true" || !["delivered", "discarded"].includes(each.state)) &&
          (query.get("post_processing_system") ?? each.post_processing_system) === each.post_processing_system &&
          (query.get("code") ?? each.code) === each.code,
      ),
      more: false,
    }),
  ),
  route("GET /api/deliveries/gathering", "viewer", (world, { query }) => {
    const file = {
      post_processing_system: "statistics",
      outputs: 12,
      records: 1_431,
      octets: 48_213,
      since: minutes(world.now(), 4),
      state: "gathering" as const,
      closes: { at: minutes(world.now(), -11), records_max: null, octets_max: 50_000_000, outputs_max: 40 },
    };
    const isAsked = (query.get("post_processing_system") ?? "statistics") === "statistics";
    return ok({ gathering: isAsked && world.files.length > 0 ? [file] : [] });
  }),
  route("POST /api/deliveries/retry", "operator", (world, { body }) => {
    const { ids = [] } = body;
    const given = world.deliveries.filter((each) => ids.includes(each.id) && each.state === "given-up");
    for (const each of given) Object.assign(each, { state: "waiting", failures: 0, problem: null });
    return ok({ files: given.length });
  }),
  route("POST /api/deliveries/discard", "operator", (world, { body }, _, who) => {
    const { ids = [] } = body;
    const given = world.deliveries.filter((each) => ids.includes(each.id) && each.state === "given-up");
    for (const each of given) each.state = "discarded";
    const named = given.map((each) => `${each.post_processing_system}/${each.file}`);
    note(world, who, "deliveries discard", named.join(", "), body.because);
    return ok({ files: given.length });
  }),
  route("GET /api/audit", "viewer", (world, { query }) => ok(audit(world, query.get("network_element")))),
  route("GET /api/sequences", "viewer", (world) => ok(sequences(world))),
  route("POST /api/sequences/accept", "operator", (world, { body }, _, who) => {
    if (body.numbers !== "10417-10419") return no(409, "none of them is missing: nothing was accepted");
    world.lost = `${who}: ${body.because}`;
    note(world, who, "sequence --accept", `3 numbers: ${body.network_element} files`, body.because);
    return ok({ accepted: 3 });
  }),
  route("GET /api/trail", "viewer", (world, { query }) => {
    const { rows, more } = page(
      query,
      world.trail.filter((each) => isWithin(query.get("from"), query.get("to"), each.at)),
      (each) => each.id,
    );
    return ok({ entries: rows, more });
  }),
  route("GET /api/trace", "viewer", (world, { query }) => {
    if (query.has("where")) return found(world, query);
    const file = world.files.find((each) => each.file === query.get("file")) ?? world.files[0];
    if (file === undefined || (query.has("file") && file.file !== query.get("file")))
      return no(
        404,
        `no file "${query.get("file")}" was collected, as far as the journal knows; if it is an output, ask for it as one`,
      );
    const record = Number(query.get("record") ?? 1);
    return ok({ traced: [way(file, record)], looked: null });
  }),
];
