/** A charging system in memory: accounts, and the entries of every amount, so that the sum of all is zero. */
import type {
  AccountStanding,
  MessageTrace,
  PeerAlarm,
  AccountSubscription,
  AmountUnit,
  ApprovalRequest,
  BundleOnSale,
  ChargingVersion,
  AccountRefusal,
  SubscriberNotice,
  HistoryEntry,
  OpenSession,
  PrepaidAccount,
} from "../../src/api/types.ts";
import { at } from "./answering.ts";
import { type FakeMessage, messagesOf } from "./messages.ts";
import { type FakePeers, peersOf } from "./peers.ts";
import { minutes } from "./time.ts";
import type { World } from "./world.ts";

export const CURRENCY = "SEK";
export const SERVICES = ["voice", "sms", "data"];

/** The tariff classes that balances can be for. */
export const CLASSES = ["national", "premium"];

/** The bundles that are sold. */
export const BUNDLES: BundleOnSale[] = [
  {
    bundle: "data-1gb",
    price: "9.00",
    gives: [{ unit: "octets", amount: "1000000000" }],
    renews: false,
    rolls_over: false,
    services: ["data"],
    classes: [],
    until: "2031-01-01T00:00:00Z",
  },
  {
    bundle: "weekend",
    price: "5.00",
    gives: [
      { unit: "seconds", amount: "3600" },
      { unit: "events", amount: "20" },
    ],
    renews: true,
    rolls_over: true,
    services: [],
    classes: [],
    until: "2031-01-01T00:00:00Z",
  },
];

/** The amount above which a refill needs a second person, in hundredths. */
export const APPROVAL_ABOVE = 100_000;

type FakeVersion = Omit<ChargingVersion, "files"> & { texts: Record<string, string> };

/** The versions of the definition, the newest first. */
const VERSIONS: FakeVersion[] = [
  {
    version: 2,
    since: "2026-07-02T08:00:00Z",
    before: 1,
    changed: ["tariff/days.csv", "tariff/prices.csv"],
    texts: { "charging.toml": 'plan = "tariff"\n', "tariff/prices.csv": "price\n0.59\n", "tariff/days.csv": "day\n" },
  },
  {
    version: 1,
    since: "2026-07-01T08:00:00Z",
    before: null,
    changed: ["charging.toml", "tariff/prices.csv"],
    texts: { "charging.toml": 'plan = "tariff"\n', "tariff/prices.csv": "price\n0.49\n" },
  },
];

interface Bucket {
  bucket: number;
  offer: string | null;
  rolled_over: boolean;
  unit: AmountUnit;
  /** Hundredths of money, or a whole number of the unit. */
  amount: number;
  /** What it was given in all, except for the main balance. */
  given: number;
  reserved: number;
  services: string[];
  classes: string[];
  priority: number;
  until: string | null;
}

/** Amounts are hundredths. */
export type FakeSession = Omit<OpenSession, "account" | "reserved" | "paid"> & { reserved: number; paid: number };

export interface FakeAccount {
  account: number;
  numbers: string[];
  standing: AccountStanding;
  creditLimit: number;
  barred: string[];
  barredClasses: string[];
  subscriberType: string | null;
  /** What was spent within the limit. */
  limitSpent: string;
  buckets: Bucket[];
  sessions: FakeSession[];
  subscriptions: AccountSubscription[];
  /** What was refused, the newest first. */
  refusals: AccountRefusal[];
  /** What its subscribers were to hear of, the newest first. */
  notices: SubscriberNotice[];
  /** The entries, the newest first. */
  history: HistoryEntry[];
}

export interface FakeVoucher {
  serial: number;
  pin: string;
  batch: number;
  /** In hundredths. */
  amount: number;
  state: "generated" | "active" | "used" | "blocked";
  until: string;
  account: number | null;
  used_at: string | null;
}

export interface Charging {
  accounts: FakeAccount[];
  vouchers: FakeVoucher[];
  /** The wrong PINs of each account. */
  wrongPins: Map<number, number>;
  /** What operations with a reference did: the account and the entry of each. */
  references: Map<string, { account: number; entry: number; amount: string }>;
  /** What waits for a second person, and what an approval does. */
  requests: (ApprovalRequest & { deed: () => void })[];
  trail: { id: number; at: string; who: string; action: string; subject: string; reason: string }[];
  versions: FakeVersion[];
  peers: FakePeers;
  /** The messages of peers, in the order of time. */
  messages: FakeMessage[];
  /** The traces of messages, the newest first. */
  traces: MessageTrace[];
  /** The alarms about peers. */
  alarms: PeerAlarm[];
}

export const shown = (amount: number, unit: AmountUnit) =>
  unit === "money" ? (amount / 100).toFixed(2) : String(amount);

/** Reads an amount above zero. Returns null for another text. */
export function read(text: string, unit: AmountUnit): number | null {
  const isAmount = unit === "money" ? /^\d+(\.\d{1,2})?$/.test(text) : /^\d+$/.test(text);
  const amount = Math.round(Number(text) * (unit === "money" ? 100 : 1));
  return isAmount && amount > 0 ? amount : null;
}

const systems = new WeakMap<World, Charging>();

/** Returns the charging system of a world. An empty world has none. */
export function of(world: World): Charging | null {
  if (world.files.length === 0) return null;
  const known = systems.get(world) ?? begun(world);
  systems.set(world, known);
  return known;
}

type Made = Partial<Pick<HistoryEntry, "at" | "session" | "remark" | "charged" | "offer">>;

/** Moves an amount into a balance, or out of it if it is negative. Returns the number of the entry. */
export function post(account: FakeAccount, to: Bucket, amount: number, system: string, made: Made): number {
  to.amount += amount;
  if (amount > 0) to.given += amount;
  const entry = account.history.length + 1;
  account.history.unshift({
    entry,
    at: made.at ?? "",
    amount: shown(amount, to.unit),
    unit: to.unit,
    bucket: to.bucket,
    bucket_offer: to.offer,
    balance: shown(to.amount, to.unit),
    system,
    offer: made.offer ?? null,
    session: made.session ?? null,
    remark: made.remark ?? null,
    charged: made.charged ?? null,
  });
  return entry;
}

export function addBucket(account: FakeAccount, terms: Partial<Bucket> = {}): Bucket {
  const bucket = Math.max(-1, ...account.buckets.map((each) => each.bucket)) + 1;
  const made = { bucket, unit: "money", amount: 0, given: 0, reserved: 0, priority: 100, until: null } as const;
  account.buckets.push({ ...made, offer: null, rolled_over: false, services: [], classes: [], ...terms });
  return account.buckets.at(-1)!;
}

export function open(charging: Charging, numbers: string[], more: Partial<FakeAccount> = {}): FakeAccount {
  const account = charging.accounts.length + 1;
  const fresh: FakeAccount = {
    account,
    numbers,
    standing: "active",
    creditLimit: 0,
    barred: [],
    barredClasses: [],
    subscriberType: null,
    limitSpent: "0.00",
    buckets: [],
    sessions: [],
    subscriptions: [],
    refusals: [],
    notices: [],
    history: [],
    ...more,
  };
  addBucket(fresh, { priority: 65_535 });
  charging.accounts.push(fresh);
  return fresh;
}

export function asShown(account: FakeAccount): PrepaidAccount {
  const money = (amount: number) => shown(amount, "money");
  return {
    account: account.account,
    numbers: account.numbers,
    standing: account.standing,
    currency: CURRENCY,
    active_until: null,
    grace_until: null,
    suspended_until: null,
    credit_limit: money(account.creditLimit),
    barred: account.barred,
    barred_classes: account.barredClasses,
    subscriber_type: account.subscriberType,
    balances: account.buckets.map(({ amount, given, reserved, unit, ...rest }) => ({
      ...rest,
      unit,
      amount: shown(amount, unit),
      given: rest.bucket === 0 ? null : shown(given, unit),
      reserved: shown(reserved, unit),
      available: shown(free(account, { amount, reserved, bucket: rest.bucket }), unit),
      from: null,
    })),
    limits: [
      {
        limit: "data-abroad",
        services: ["data"],
        is_roaming: true,
        number: null,
        spent: account.limitSpent,
        most: "500.00",
        consent: false,
      },
    ],
    subscriptions: account.subscriptions,
    sessions: account.sessions.map((session) => shownSession(account, session)),
    entries: account.history.length,
  };
}

export const shownSession = ({ account }: FakeAccount, session: FakeSession): OpenSession => ({
  ...session,
  account,
  reserved: shown(session.reserved, "money"),
  paid: shown(session.paid, "money"),
});

export const free = (
  account: FakeAccount,
  { amount, reserved, bucket }: Pick<Bucket, "amount" | "reserved" | "bucket">,
) => Math.max(0, amount - reserved + (bucket === 0 ? account.creditLimit : 0));

/** The network of the sessions. */
export const CLIENT = "msc1";

/** A session reserves more each time that the account is looked at, as a call that goes on. */
const STEP = 50;
const RESERVED_MAX = 900;

export function goOn(account: FakeAccount): void {
  const session = account.sessions.find((each) => !each.ended && each.client === CLIENT);
  if (session === undefined || session.reserved >= RESERVED_MAX) return;
  session.reserved += STEP;
  account.buckets[0]!.reserved += STEP;
}

export function endSession(account: FakeAccount, key: string): boolean {
  const session = account.sessions.find((each) => each.session === key && !each.ended);
  if (session === undefined) return false;
  account.buckets[0]!.reserved -= session.reserved;
  Object.assign(session, { reserved: 0, ended: true, stuck: false });
  return true;
}

const BATCH_SERIALS = 2 ** 32;

/** Adds a batch of vouchers, which cannot be used yet. */
export function addBatch(
  charging: Charging,
  { batch, count, ...terms }: { batch: number; count: number; amount: number; until: string },
): FakeVoucher[] {
  const made = Array.from({ length: count }, (_, place): FakeVoucher => {
    const pin = String(batch * 1_000_000 + place).padStart(14, "0");
    const serial = batch * BATCH_SERIALS + place;
    return { serial, pin, batch, state: "generated", account: null, used_at: null, ...terms };
  });
  charging.vouchers.push(...made);
  return made;
}

/** Begins a session, which takes a part of the main balance as it goes on. */
export function begin(account: FakeAccount, of: Partial<FakeSession>): FakeSession {
  const session = {
    session: "",
    client: CLIENT,
    number: "",
    called: "",
    services: ["voice"],
    start: "",
    used: "60 seconds",
    granted: "60 seconds",
    paid: 0,
    reserved: 0,
    valid_until: of.until ?? "",
    stuck: false,
    ended: false,
    until: "",
    ...of,
  };
  account.sessions.push(session);
  return session;
}

const SESSION = "5f0c9a1e77d24b1083c6e2d94a7b0e51";

/** The calls that the first account has paid for: more than a page of its history has. */
const CALLS = 58;

/** A call that was cut off, and attempts after it. */
const refusalsOf = (ago: (many: number) => string): AccountRefusal[] => {
  const of = { client: CLIENT, served: "46702000002", session: SESSION, other: "46812345678" };
  const attempts = [3, 4, 5, 6, 7].map((many) => ({
    ...of,
    at: ago(many),
    service: "voice",
    code: "no-money",
    text: "there is not enough money",
  }));
  const text = "34 seconds were granted, and the account pays for no more";
  return [...attempts, { ...of, at: ago(8), service: "voice", code: "last-grant", text }];
};

/** Six times, little was left; and most of a limit is spent. */
const noticesOf = (ago: (many: number) => string): SubscriberNotice[] => {
  const low = [9, 8, 7, 6, 5, 4].map((notice) => ({
    notice,
    at: ago(3_000 - 100 * notice),
    kind: "low" as const,
    name: "low",
    number: null,
    unit: "money" as const,
    left: `${notice}.50`,
    below: "20.00",
    until: null,
    currency: CURRENCY,
    text: `less than 20.00 ${CURRENCY} is left: ${notice}.50 ${CURRENCY}`,
  }));
  const text = "the limit data-abroad is spent to 80 %";
  const none = { number: null, unit: null, left: null, below: null, until: null };
  const near = {
    ...none,
    notice: 10,
    at: ago(60),
    kind: "limit-near" as const,
    name: "data-abroad",
    currency: CURRENCY,
    text,
  };
  return [near, ...low];
};

function begun(world: World): Charging {
  const ago = (many: number) => minutes(world.now(), many);
  const charging: Charging = {
    accounts: [],
    vouchers: [],
    wrongPins: new Map(),
    references: new Map(),
    requests: [],
    trail: [],
    versions: [...VERSIONS],
    peers: peersOf(ago),
    messages: messagesOf(world.now(), SESSION),
    traces: [],
    alarms: [],
  };
  const terms = { amount: 10_000, until: ago(-60 * 24 * 365) };
  for (const voucher of addBatch(charging, { batch: 7, count: 20, ...terms })) voucher.state = "active";
  Object.assign(charging.vouchers[1]!, { state: "used", account: 2, used_at: ago(4_000) });
  addBatch(charging, { batch: 8, count: 5, ...terms });
  const refill = (account: FakeAccount, amount: number, many: number) =>
    post(account, account.buckets[0]!, amount, "refill", {
      at: ago(many),
      remark: {
        kind: "refill",
        who: "payments",
        because: "",
        reference: `voucher-${account.account}`,
        record: null,
        reverses: null,
        voucher: null,
      },
    });
  const anna = open(charging, ["46701234567", "46701234599"]);
  refill(anna, 15_000, 9_000);
  for (let call = CALLS; call > 0; call -= 1) charge(anna, anna.buckets[0]!, call, ago(call * 120));
  const bundle = addBucket(anna, {
    unit: "octets",
    offer: "month",
    rolled_over: true,
    services: ["data"],
    until: ago(-60 * 24 * 20),
  });
  post(anna, bundle, 5_000_000_000, "adjustment", {
    at: ago(90),
    remark: {
      kind: "adjustment",
      who: "otto",
      because: "5 GB, sold in the shop",
      reference: "shop-17",
      record: null,
      reverses: null,
      voucher: null,
    },
  });
  post(anna, bundle, -1_250_000_000, "revenue", {
    at: ago(60),
    session: "90ab12cd34ef56ab78cd90ef12ab34cd",
    charged: {
      service: "data",
      client: CLIENT,
      served: "46701234567",
      other: "",
      partner: "",
      start: ago(80),
      used: "1250000000 octets",
      paid_by_balances: 1_250_000_000,
      part: null,
      priced: 0,
      billed: 0,
      free: 0,
      total: "0.00",
      before: "0.00",
      steps: [],
    },
  });
  begin(anna, { session: SESSION, number: anna.numbers[0]!, called: "46709000001", start: ago(3), until: ago(-5) });
  goOn(anna);
  const blocked = open(charging, ["46702000001"], { standing: "suspended" });
  refill(blocked, 2_000, 4_000);
  const overdrawn = open(charging, ["46702000002"], {
    creditLimit: 5_000,
    limitSpent: "412.50",
    refusals: refusalsOf(ago),
    notices: noticesOf(ago),
  });
  refill(overdrawn, 1_000, 4_000);
  charge(overdrawn, overdrawn.buckets[0]!, 1, ago(30), 2_300);
  open(charging, ["sip:anna@example.org"], { standing: "pre-active" });
  for (let place = 0; place < 60; place += 1) {
    const account = open(charging, [String(46703000000 + place)]);
    refill(account, 5_000, 3_000);
    // More than a page of the sessions has; each tenth has lost its network.
    const stuck = place % 10 === 0;
    const many = stuck ? 100 : 5;
    const of = { number: account.numbers[0]!, start: ago(many), until: ago(-15), valid_until: ago(stuck ? 2 : -5) };
    if (place > 0) begin(account, { ...of, session: place.toString(16).padStart(32, "a"), stuck });
  }
  const of = (number: string) => charging.accounts.find(({ numbers }) => numbers.includes(number))!;
  chargeRecord(of("46703000017"), ago(20));
  refundMessages(of("46703000018"), ago(20));
  return charging;
}

/** Gives back what two messages cost, which a network asked for. */
function refundMessages(account: FakeAccount, when: string): void {
  post(account, account.buckets[0]!, 98, "revenue", {
    at: when,
    charged: {
      service: "sms",
      client: CLIENT,
      served: account.numbers[0]!,
      other: "46812345678",
      partner: "",
      start: when,
      used: "2 events",
      paid_by_balances: 0,
      part: null,
      priced: 0,
      billed: 0,
      free: 0,
      total: "0.00",
      before: "0.00",
      steps: [],
    },
  });
}

/** Debits a record of a partner. */
function chargeRecord(account: FakeAccount, when: string): void {
  const record = {
    file: "partner-tap-0017.json",
    line: 1_207,
    number: "46703000017",
    service: "telephony",
    other: "33612345678",
    start: when,
  };
  const remark = { kind: "record", who: "client gateway", reference: "tap-77", record, reverses: null, voucher: null };
  post(account, account.buckets[0]!, -150, "revenue", { at: when, remark });
}

/** Charges a call of a minute and more. */
function charge(account: FakeAccount, from: Bucket, call: number, when: string, price = 125): void {
  const other = String(46709000000 + call);
  post(account, from, -price, "revenue", {
    at: when,
    session: call.toString(16).padStart(32, "0"),
    charged: {
      service: "voice",
      client: CLIENT,
      served: account.numbers[0]!,
      other,
      partner: "",
      start: when,
      used: "63 seconds",
      paid_by_balances: 0,
      part: null,
      priced: 123,
      billed: 180,
      free: 60,
      total: shown(price + 75, "money"),
      before: "0.75",
      steps: [
        { step: "service", found: "voice", file: "services.csv", line: 2 },
        { step: "number analysis", found: `${other} is in the zone mobile`, file: "numbers.csv", line: 14 },
        { step: "time band", found: "day", file: "bands.csv", line: 3 },
        { step: "price", found: "0.50 a minute, by the minute", file: "prices.csv", line: 7 },
        { step: "rounding", found: shown(price + 75, "money"), file: null, line: null },
      ],
    },
  });
}

export function note(
  charging: Charging,
  world: World,
  who: string,
  action: string,
  subject: string,
  reason: string,
): void {
  charging.trail.unshift({ id: charging.trail.length + 1, at: at(world), who, action, subject, reason });
}
