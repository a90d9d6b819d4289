/** Vouchers of prepaid accounts: made, activated, blocked, shown and used. */
import { type FakeRoute, at, no, ok, route } from "./answering.ts";
import { CURRENCY, type Charging, type FakeVoucher, addBatch, note, of, post, read, shown } from "./charging.ts";
import { MISSING, NO_REASON, forAccount, invalid } from "./charging-routes.ts";
import { minutes } from "./time.ts";

const BATCH_VOUCHERS_MAX = 100_000;
const WRONG_PINS_MAX = 3;

const refused = (why: string) => no(409, `the voucher is refused: ${why}`, "voucher-refused");

/** Changes vouchers of a batch that are not used. Returns their number. */
function change(charging: Charging, which: (voucher: FakeVoucher) => boolean, state: FakeVoucher["state"]): number {
  const changed = charging.vouchers.filter((each) => which(each) && each.state !== "used" && each.state !== state);
  for (const voucher of changed) voucher.state = state;
  return changed.length;
}

export const VOUCHER_ROUTES: FakeRoute[] = [
  route("POST /api/vouchers", "administrator", (world, { body }, _, who) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const { batch, count, until, because } = body;
    if (because === "") return NO_REASON;
    const amount = read(body.amount, "money");
    if (amount === null) return invalid(body.amount);
    if (count < 1 || count > BATCH_VOUCHERS_MAX) return refused("a batch has 1 to 100000 vouchers");
    if (charging.vouchers.some((each) => each.batch === batch)) return refused(`there is a batch ${batch} already`);
    note(charging, world, who, "voucher make", `batch ${batch}: ${count} of ${body.amount}`, because);
    const made = addBatch(charging, { batch, count, amount, until });
    return ok({ vouchers: made.map(({ serial, pin }) => ({ serial, pin })) });
  }),
  route("GET /api/vouchers/{serial}", "viewer", (world, _, { serial }) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const found = charging.vouchers.find((each) => String(each.serial) === serial);
    if (found === undefined) return no(404, `there is no voucher ${serial}`, "voucher-unknown");
    const { pin: _pin, amount, ...rest } = found;
    return ok({ ...rest, amount: shown(amount, "money"), currency: CURRENCY });
  }),
  route("POST /api/voucher-batches/{batch}/activate", "operator", (world, { body }, { batch }, who) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    if (body.because === "") return NO_REASON;
    note(charging, world, who, "voucher activate", `batch ${batch}`, body.because);
    return ok({ changed: change(charging, (each) => String(each.batch) === batch, "active") });
  }),
  route("POST /api/voucher-batches/{batch}/block", "operator", (world, { body }, { batch }, who) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const { first, last, because } = body;
    if (because === "") return NO_REASON;
    const isWithin = (each: FakeVoucher) =>
      String(each.batch) === batch && each.serial >= (first ?? 0) && each.serial <= (last ?? Infinity);
    const subject = first == null && last == null ? `batch ${batch}` : `vouchers ${first} to ${last}`;
    note(charging, world, who, "voucher block", subject, because);
    return ok({ changed: change(charging, isWithin, "blocked") });
  }),
  route("POST /api/accounts/{account}/voucher", "operator", (world, { body }, { account: name }, who) =>
    forAccount(world, name, (account, charging) => {
      const wrong = charging.wrongPins.get(account.account) ?? 0;
      if (wrong >= WRONG_PINS_MAX) {
        const until = minutes(world.now(), -24 * 60);
        const why = `there were too many wrong PINs for the account: it may try again at ${until}`;
        return no(409, why, "voucher-locked");
      }
      if (!/^\d{10,20}$/.test(body.pin)) return refused("a PIN has from 10 to 20 digits");
      note(charging, world, who, "voucher use", `account ${account.account}`, "");
      const found = charging.vouchers.find(({ pin }) => pin === body.pin);
      const used = { account: account.account, serial: found?.serial ?? 0, currency: CURRENCY, bonuses: [] };
      if (found?.state === "used" && found.account === account.account)
        return ok({ ...used, amount: shown(found.amount, "money"), repeated: true });
      if (found?.state !== "active") {
        charging.wrongPins.set(account.account, wrong + 1);
        const isKnown = found !== undefined && found.state !== "generated";
        return refused(isKnown ? `the voucher is ${found.state}` : "the PIN is not known");
      }
      Object.assign(found, { state: "used", account: account.account, used_at: at(world) });
      const voucher = { serial: found.serial, batch: found.batch };
      const remark = { kind: "voucher", who, record: null, reverses: null, voucher };
      post(account, account.buckets[0]!, found.amount, "refill", { at: at(world), remark });
      return ok({ ...used, amount: shown(found.amount, "money"), repeated: false });
    }),
  ),
];
