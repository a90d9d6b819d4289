/** Prepaid accounts: what the charging system answers. */
import type { Moved } from "../../src/api/types.ts";
import { type Answer, type FakeRoute, at, no, ok, page, route } from "./answering.ts";
import {
  APPROVAL_ABOVE,
  BUNDLES,
  CURRENCY,
  type Charging,
  type FakeAccount,
  CLASSES,
  SERVICES,
  addBucket,
  asShown,
  endSession,
  free,
  goOn,
  note,
  of,
  open,
  post,
  read,
  shown,
  shownSession,
} from "./charging.ts";
import { minutes } from "./time.ts";
import { trafficOf } from "./traffic.ts";
import type { World } from "./world.ts";

export const MISSING = no(404, 'there is no charging system: "charging.toml" is not there', "charging-missing");

const unknown = (name: string) => no(404, `no account has the number "${name}"`, "number-unknown");

const find = (charging: Charging, name: string) =>
  name.startsWith("#")
    ? charging.accounts.find(({ account }) => `#${account}` === name)
    : charging.accounts.find(({ numbers }) => numbers.includes(name));

/** Answers for an account that is there. */
export function forAccount<T>(
  world: World,
  name: string,
  answer: (account: FakeAccount, charging: Charging) => Answer<T>,
): Answer<T> {
  const charging = of(world);
  if (charging === null) return MISSING;
  const account = find(charging, name);
  return account === undefined ? unknown(name) : answer(account, charging);
}

export const NO_REASON = no(422, "the reason is empty or too long", "text-invalid");

function moved(account: FakeAccount, entry: number, repeated: boolean): Answer<Moved> {
  const { bucket, unit } = account.history.find((each) => each.entry === entry)!;
  const balance = shown(account.buckets.find((each) => each.bucket === bucket)!.amount, unit);
  const { account: number } = account;
  return ok<Moved>({ account: number, entry, bucket, unit, balance, currency: CURRENCY, bonuses: [], repeated });
}

/** Does what has a reference, once. */
function once(
  charging: Charging,
  account: FakeAccount,
  { reference, amount }: { reference: string; amount: string },
  deed: () => number,
): Answer<Moved> {
  const before = charging.references.get(reference);
  if (before !== undefined && (before.account !== account.account || before.amount !== amount))
    return no(409, `the reference "${reference}" was used for something else`, "reference-reused");
  if (before !== undefined) return moved(account, before.entry, true);
  const entry = deed();
  charging.references.set(reference, { account: account.account, entry, amount });
  return moved(account, entry, false);
}

export const invalid = (amount: string) =>
  no(422, `"${amount}" is no amount: it is zero, or no number`, "amount-invalid");

const openSessions = (charging: Charging) =>
  charging.accounts.flatMap((account) =>
    account.sessions.filter(({ ended }) => !ended).map((session) => ({ account, session })),
  );

/** Returns whether a time is within the period of a request. */
const isWithin = (from: string | null, to: string | null, at: string) => at >= (from ?? "") && (to === null || at < to);

/** The entries of a page of all: fewer than the gateway gives, so that there are several pages. */
const ENTRIES_MAX = 50;

export const CHARGING_ROUTES: FakeRoute[] = [
  route("GET /api/charging", "viewer", (world) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const sums = new Map<string, bigint>();
    const add = (key: string, amount: bigint) => sums.set(key, (sums.get(key) ?? 0n) + amount);
    for (const { buckets, history } of charging.accounts) {
      for (const { unit, amount } of buckets) add(`${unit} subscribers`, BigInt(amount));
      for (const { unit, amount, system } of history) add(`${unit} ${system}`, -BigInt(amount.replace(".", "")));
    }
    return ok({
      accounts: charging.accounts.length,
      numbers: charging.accounts.flatMap(({ numbers }) => numbers).length,
      open_sessions: openSessions(charging).length,
      reserved: shown(
        openSessions(charging).reduce((sum, { session }) => sum + session.reserved, 0),
        "money",
      ),
      unfolded_batches: 3,
      traffic: trafficOf(world),
      currency: CURRENCY,
      services: SERVICES,
      classes: CLASSES,
      subscriber_types: ["consumer", "plus"],
      bundles: BUNDLES,
      balances: [...sums].map(([key, amount]) => {
        const [unit, name] = key.split(" ") as ["money", string];
        return { of: name, unit, amount: shown(Number(amount), unit) };
      }),
      balanced: true,
      unused: null,
      peer_alarms: charging.alarms,
      notices: { waiting: 0, failing: null },
    });
  }),
  route("GET /api/charging/sessions", "viewer", (world, { query }) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const [number, service, client] = [query.get("number") ?? "", query.get("service"), query.get("client")];
    const [older, after] = [query.get("older_than"), query.get("after") ?? ""];
    const begun = older === null ? Infinity : world.now() - Number(older) * 1_000;
    const found = openSessions(charging).filter(
      ({ session }) =>
        session.number.includes(number) &&
        (service === null || session.services.includes(service)) &&
        (client === null || session.client === client) &&
        Date.parse(session.start) <= begun &&
        (query.get("stuck") !== "true" || session.stuck),
    );
    const from = found.findIndex(({ account, session }) => `${account.account}-${session.session}` === after) + 1;
    const limit = Number(query.get("limit") ?? 50);
    for (const { account } of found) goOn(account);
    const sessions = found.slice(from, from + limit).map(({ account, session }) => shownSession(account, session));
    return ok({ sessions, currency: CURRENCY, more: found.length > from + limit });
  }),
  route("GET /api/charging/versions", "viewer", (world, { query }) => {
    if (of(world) === null) return MISSING;
    const { versions } = of(world)!;
    const { rows, more } = page(query, versions, ({ version }) => version);
    const used = versions[0]!.version;
    return ok({
      used,
      versions: rows.map(({ texts, ...version }) => ({ ...version, files: Object.keys(texts) })),
      more,
    });
  }),
  route("GET /api/charging/versions/{version}/file", "viewer", (world, { query }, path) => {
    if (of(world) === null) return MISSING;
    const [version, file] = [Number(path.version), query.get("file") ?? ""];
    const text = of(world)!.versions.find((each) => each.version === version)?.texts[file];
    return text === undefined
      ? no(404, `there is no version ${version} with a file "${file}"`, "version-file-unknown")
      : ok({ text });
  }),
  route("POST /api/charging/versions/{version}/restore", "administrator", (world, { body }, path, who) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const [newest, wanted] = [
      charging.versions[0]!,
      charging.versions.find((each) => `${each.version}` === path.version),
    ];
    if (wanted === undefined) return no(404, `there is no version ${path.version}`, "charging-version-unknown");
    const [now, version] = [newest.texts, newest.version + 1];
    const files = [...new Set([...Object.keys(now), ...Object.keys(wanted.texts)])].sort();
    const isWanted = (file: string) => body.file == null || body.file === file;
    const changed = files.filter((file) => isWanted(file) && now[file] !== wanted.texts[file]);
    const since = new Date(world.now()).toISOString();
    const texts = body.file == null ? wanted.texts : { ...now, [body.file]: wanted.texts[body.file] ?? "" };
    if (changed.length > 0) charging.versions.unshift({ version, since, before: newest.version, changed, texts });
    const subject = `version ${wanted.version}: ${changed.join(", ")}`;
    note(charging, world, who, "charging version restore", subject, body.because);
    return ok({ changed });
  }),
  route("GET /api/charging/trail", "viewer", (world, { query }) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const { rows, more } = page(query, charging.trail, ({ id }) => id);
    return ok({ entries: rows.map((entry) => ({ ...entry, before: null, after: null })), more });
  }),
  route("GET /api/charging/check", "viewer", (world) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const faults = charging.accounts.flatMap(({ account, buckets, history }) =>
      buckets.flatMap(({ bucket, unit, amount }) => {
        const entries = history.filter((each) => each.bucket === bucket);
        const sum = entries.reduce((all, each) => all + BigInt(each.amount.replace(".", "")), 0n);
        return sum === BigInt(amount)
          ? []
          : [`account ${account}: balance ${bucket} is ${shown(amount, unit)}, its entries are not`];
      }),
    );
    return ok({
      accounts: charging.accounts.filter(({ history }) => history.length > 0).length,
      entries: charging.accounts.flatMap(({ history }) => history).length,
      faults: faults.slice(0, 20),
      fault_count: faults.length,
    });
  }),
  route("GET /api/charging/entries", "viewer", (world, { query }) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const after = [Number(query.get("after_account") ?? 0), Number(query.get("after_entry") ?? 0)] as const;
    const entries = charging.accounts.flatMap(({ account, history }) =>
      history.toReversed().map(({ entry, at, unit, bucket, amount, balance, system, remark }) => ({
        account,
        ...{ entry, at, unit, bucket, amount, balance, system },
        remark: remark ?? null,
        service: null,
        session: null,
        offer: null,
      })),
    );
    const isAfter = (each: { account: number; entry: number }) =>
      each.account > after[0] || (each.account === after[0] && each.entry > after[1]);
    const found = entries.filter(isAfter).slice(0, ENTRIES_MAX);
    const last = found.at(-1);
    return ok({
      entries: found.filter(({ at }) => isWithin(query.get("from"), query.get("to"), at)),
      currency: CURRENCY,
      last: last === undefined ? null : { account: last.account, entry: last.entry },
    });
  }),
  route("GET /api/charging/sums", "viewer", (world, { query }) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const all = charging.accounts.flatMap(({ history }) => history);
    const sum = (entries: typeof all) => entries.reduce((sum, { amount }) => sum + Number(amount.replace(".", "")), 0);
    const units = [...new Set(all.map(({ unit }) => unit))].map((unit) => {
      const own = all.filter((each) => each.unit === unit);
      const before = own.filter(({ at }) => at < (query.get("from") ?? ""));
      const within = own.filter(({ at }) => isWithin(query.get("from"), query.get("to"), at));
      const changes = [...new Set(within.map(({ system }) => system))].map((system) => {
        const entries = within.filter((each) => each.system === system);
        return { system, entries: entries.length, amount: shown(-sum(entries), unit) };
      });
      return { unit, before: shown(sum(before), unit), changes, after: shown(sum([...before, ...within]), unit) };
    });
    return ok({ currency: CURRENCY, units });
  }),
  route("GET /api/accounts", "viewer", (world, { query }) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const [part, after] = [query.get("part") ?? "", query.get("after") ?? ""];
    const limit = Number(query.get("limit") ?? 50);
    const found = charging.accounts
      .flatMap((account) => account.numbers.map((number) => ({ number, account })))
      .filter(({ number }) => number.includes(part) && number > after)
      .sort((one, other) => (one.number < other.number ? -1 : 1));
    const rows = found.slice(0, limit).map(({ number, account }) => {
      const main = account.buckets[0]!;
      return {
        number,
        account: account.account,
        standing: account.standing,
        available: shown(free(account, main), "money"),
        reserved: shown(main.reserved, "money"),
        currency: CURRENCY,
        sessions: account.sessions.filter(({ ended }) => !ended).length,
      };
    });
    return ok({ accounts: rows, more: found.length > limit });
  }),
  route("POST /api/accounts", "operator", (world, { body }, _, who) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const taken = body.numbers.find((number) => find(charging, number) !== undefined);
    if (taken !== undefined) return no(409, `another account has the number "${taken}"`, "number-taken");
    const account = open(charging, body.numbers, { standing: body.standing ?? "active" });
    note(charging, world, who, "account open", `account ${account.account}`, "");
    return ok(asShown(account));
  }),
  route("POST /api/accounts/import", "operator", (world, { body }, _, who) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    if (body.only_check === true) return ok({ opened: 0, there: 0 });
    const fresh = body.subscribers.filter(({ number }) => find(charging, number) === undefined);
    for (const { number, amount } of fresh) {
      const account = open(charging, [number]);
      const remark = { kind: "import", who, record: null, reverses: null, voucher: null };
      post(account, account.buckets[0]!, read(amount, "money") ?? 0, "refill", { at: at(world), remark });
    }
    note(charging, world, who, "subscriber import", `${fresh.length} subscribers`, "");
    return ok({ opened: fresh.length, there: body.subscribers.length - fresh.length });
  }),
  route("GET /api/accounts/{account}", "viewer", (world, _, { account: name }) =>
    forAccount(world, name, (account) => {
      goOn(account);
      return ok(asShown(account));
    }),
  ),
  route("GET /api/accounts/{account}/history", "viewer", (world, { query }, { account: name }) =>
    forAccount(world, name, (account) => {
      const [system, from, to] = (["system", "from", "to"] as const).map((word) => query.get(word));
      const found = account.history.filter(
        (entry) => (system == null || entry.system === system) && isWithin(from ?? null, to ?? null, entry.at),
      );
      const { rows, more } = page(query, found, ({ entry }) => entry);
      return ok({ account: account.account, currency: CURRENCY, entries: rows, more });
    }),
  ),
  route("GET /api/accounts/{account}/notices", "viewer", (world, _, { account: name }) =>
    forAccount(world, name, ({ account, notices }) => ok({ account, notices })),
  ),
  route("GET /api/accounts/{account}/refusals", "viewer", (world, _, { account: name }) =>
    forAccount(world, name, ({ account, refusals }) => ok({ account, since: minutes(world.now(), 600), refusals })),
  ),
  route("POST /api/accounts/{account}/refill", "operator", (world, { body }, { account: name }, who) =>
    forAccount(world, name, (account, charging) => {
      const { reference, because = "" } = body;
      const amount = read(body.amount, "money");
      if (amount === null) return invalid(body.amount);
      const subject = `account ${account.account}: ${body.amount}`;
      const remark = { kind: "refill", who, because, reference, record: null, reverses: null, voucher: null };
      const refill = () => post(account, account.buckets[0]!, amount, "refill", { at: at(world), remark });
      if (amount > APPROVAL_ABOVE) {
        const request = charging.requests.length + 1;
        const asked = { at: at(world), who, action: "account refill", subject, because: reference };
        charging.requests.push({ request, ...asked, deed: refill });
        const above = shown(APPROVAL_ABOVE, "money");
        const text = `an amount above ${above} needs a second person: this is request ${request} now, which another user approves or rejects`;
        return no(409, text, "approval-needed");
      }
      return once(charging, account, body, () => {
        note(charging, world, who, "account refill", subject, reference);
        return refill();
      });
    }),
  ),
  route("POST /api/accounts/{account}/adjust", "operator", (world, { body }, { account: name }, who) =>
    forAccount(world, name, (account, charging) => {
      const { because, reference, new: terms, bucket = 0 } = body;
      if (because === "") return NO_REASON;
      const known = account.buckets.find((each) => each.bucket === bucket);
      if (terms == null && known === undefined) return no(404, `the account has no bucket ${bucket}`, "bucket-unknown");
      const unit = terms == null ? known!.unit : (terms.unit ?? "money");
      const isTaken = body.amount.startsWith("-");
      const amount = read(body.amount.replace("-", ""), unit);
      if (amount === null) return invalid(body.amount);
      if (isTaken && free(account, known!) < amount)
        return no(409, "the account has less than that available", "not-enough");
      return once(charging, account, body, () => {
        note(charging, world, who, "account adjust", `account ${account.account}: ${body.amount} ${unit}`, because);
        const { services = [], classes = [], until = null } = terms ?? {};
        const to = terms == null ? known! : addBucket(account, { unit, services, classes, until });
        const remark = { kind: "adjustment", who, because, reference, record: null, reverses: null, voucher: null };
        return post(account, to, isTaken ? -amount : amount, "adjustment", { at: at(world), remark });
      });
    }),
  ),
  route("POST /api/accounts/{account}/transfer", "operator", (world, { body }, { account: name }, who) =>
    forAccount(world, name, (account, charging) => {
      const { because, reference, to } = body;
      const receiver = find(charging, to);
      if (receiver === undefined) return unknown(to);
      if (receiver === account)
        return no(409, "nothing is transferred: the receiver is the sender", "receiver-invalid");
      const [main, amount] = [account.buckets[0]!, read(body.amount, "money")];
      if (amount === null) return invalid(body.amount);
      if (free(account, main) < amount) return no(409, "the account has less than that available", "not-enough");
      const accounts = [account.account, receiver.account];
      const remark = {
        kind: "transfer",
        who,
        because,
        reference,
        accounts,
        record: null,
        reverses: null,
        voucher: null,
      };
      post(account, main, -amount, "transfer", { at: at(world), remark });
      post(receiver, receiver.buckets[0]!, amount, "transfer", { at: at(world), remark });
      note(charging, world, who, "account transfer", `account ${account.account} to ${receiver.account}`, because);
      return ok({
        from: account.account,
        to: receiver.account,
        fee: "0.00",
        balance: shown(main.amount, "money"),
        currency: CURRENCY,
        repeated: false,
      });
    }),
  ),
  route(
    "POST /api/accounts/{account}/entries/{entry}/reverse",
    "operator",
    (world, { body }, { account: name, entry: number }, who) =>
      forAccount(world, name, (account, charging) => {
        const entry = account.history.find((each) => String(each.entry) === number);
        const not = (why: string) => no(409, `the entry ${number} cannot be reversed: ${why}`, "entry-not-reversible");
        if (entry === undefined) return not("there is no such entry");
        if (account.history.some(({ remark }) => remark?.reverses === entry.entry))
          return not("the entry is reversed already");
        const bucket = account.buckets.find((each) => each.bucket === entry.bucket)!;
        const amount = read(entry.amount.replace("-", ""), entry.unit)!;
        const { because } = body;
        note(charging, world, who, "account reverse", `account ${account.account}: entry ${number}`, because);
        const remark = { kind: "reversal", who, because, record: null, reverses: entry.entry, voucher: null };
        const back = entry.amount.startsWith("-") ? amount : -amount;
        const { session } = entry;
        const made = post(account, bucket, back, entry.system, { at: at(world), session, remark });
        return moved(account, made, false);
      }),
  ),
  route("POST /api/accounts/{account}/standing", "operator", (world, { body }, { account: name }, who) =>
    forAccount(world, name, (account, charging) => {
      if (body.because === "") return NO_REASON;
      if (body.standing === "closed") {
        for (const bucket of account.buckets) post(account, bucket, -bucket.amount, "expired", { at: at(world) });
        account.buckets = account.buckets.slice(0, 1);
        account.subscriptions = [];
      }
      account.standing = body.standing;
      note(charging, world, who, "account standing", `account ${account.account}: ${body.standing}`, body.because);
      return ok(asShown(account));
    }),
  ),
  route("POST /api/accounts/{account}/numbers", "operator", (world, { body }, { account: name }, who) =>
    forAccount(world, name, (account, charging) => {
      if (find(charging, body.number) !== undefined)
        return no(409, `another account has the number "${body.number}"`, "number-taken");
      account.numbers.push(body.number);
      note(charging, world, who, "account number add", `account ${account.account}: ${body.number}`, body.because);
      return ok(asShown(account));
    }),
  ),
  route(
    "POST /api/accounts/{account}/sessions/{session}/end",
    "operator",
    (world, { body }, { account: name, session }, who) =>
      forAccount(world, name, (account, charging) => {
        if (!endSession(account, session)) return no(404, "there is no such session", "session-unknown");
        note(charging, world, who, "account session end", `account ${account.account}: ${session}`, body.because);
        return ok({ account: account.account, session });
      }),
  ),
  route("POST /api/numbers/{number}/remove", "operator", (world, { body }, { number }, who) =>
    forAccount(world, number, (account, charging) => {
      account.numbers = account.numbers.filter((each) => each !== number);
      note(charging, world, who, "account number remove", `account ${account.account}: ${number}`, body.because);
      return ok(asShown(account));
    }),
  ),
];
