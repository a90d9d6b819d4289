/** The routes for bundles, credit limits, and what needs a second person. */
import type { BoughtBundle } from "../../src/api/types.ts";
import { type Answer, type FakeRoute, at, no, ok, route } from "./answering.ts";
import { MISSING, NO_REASON, forAccount } from "./charging-routes.ts";
import {
  APPROVAL_ABOVE,
  BUNDLES,
  CURRENCY,
  addBucket,
  asShown,
  free,
  note,
  of,
  post,
  read,
  shown,
} from "./charging.ts";
import { minutes } from "./time.ts";

const unknown = (request: string) => no(404, `no request ${request} waits for approval`, "request-unknown");

export const OFFER_ROUTES: FakeRoute[] = [
  route("POST /api/accounts/{account}/buy", "operator", (world, { body }, { account: name }, who) =>
    forAccount(world, name, (account, charging) => {
      const bundle = BUNDLES.find((each) => each.bundle === body.bundle);
      if (bundle === undefined) return no(404, `charging.toml has no bundle "${body.bundle}"`, "bundle-unknown");
      const [main, price] = [account.buckets[0]!, read(bundle.price, "money")!];
      const bought = (repeated: boolean): Answer<BoughtBundle> =>
        ok<BoughtBundle>({
          account: account.account,
          bundle: bundle.bundle,
          entry: account.history.length,
          balance: shown(main.amount, "money"),
          currency: CURRENCY,
          repeated,
        });
      if (charging.references.has(body.reference)) return bought(true);
      if (free(account, main) < price) return no(409, "the account has less than that available", "not-enough");
      const remark = { kind: "purchase", who, reference: body.reference, record: null, reverses: null, voucher: null };
      const made = { at: at(world), remark, offer: bundle.bundle };
      const entry = post(account, main, -price, "bundle", made);
      const until = minutes(world.now(), -60 * 24 * 30);
      for (const { amount, unit } of bundle.gives)
        post(
          account,
          addBucket(account, {
            unit,
            offer: bundle.bundle,
            services: bundle.services,
            classes: bundle.classes,
            until,
          }),
          Number(amount),
          "bundle",
          made,
        );
      if (bundle.renews) {
        account.subscriptions = account.subscriptions.filter(({ offer }) => offer !== bundle.bundle);
        account.subscriptions.push({
          offer: bundle.bundle,
          is_fee: false,
          period_from: until,
          due: until,
          unpaid: false,
        });
      }
      charging.references.set(body.reference, { account: account.account, entry, amount: bundle.price });
      note(charging, world, who, "account buy", `account ${account.account}: ${bundle.bundle}`, body.reference);
      return bought(false);
    }),
  ),
  route(
    "POST /api/accounts/{account}/bundles/{bundle}/cancel",
    "operator",
    (world, { body }, { account: name, bundle }, who) =>
      forAccount(world, name, (account, charging) => {
        if (body.because === "") return NO_REASON;
        account.subscriptions = account.subscriptions.filter(({ offer }) => offer !== bundle);
        note(charging, world, who, "account cancel", `account ${account.account}: ${bundle}`, body.because);
        return ok(asShown(account));
      }),
  ),
  route("POST /api/accounts/{account}/credit-limit", "operator", (world, { body }, { account: name }, who) =>
    forAccount(world, name, (account, charging) => {
      if (body.because === "") return NO_REASON;
      account.creditLimit = read(body.credit_limit, "money") ?? 0;
      note(charging, world, who, "account limit", `account ${account.account}: ${body.credit_limit}`, body.because);
      return ok(asShown(account));
    }),
  ),
  route("POST /api/accounts/{account}/barred", "operator", (world, { body }, { account: name }, who) =>
    forAccount(world, name, (account, charging) => {
      if (body.because === "") return NO_REASON;
      account.barred = body.services ?? [];
      account.barredClasses = body.classes ?? [];
      const barred = [...account.barred, ...account.barredClasses].join(", ");
      note(charging, world, who, "account bar", `account ${account.account}: ${barred}`, body.because);
      return ok(asShown(account));
    }),
  ),
  route("POST /api/accounts/{account}/subscriber-type", "operator", (world, { body }, { account: name }, who) =>
    forAccount(world, name, (account, charging) => {
      if (body.because === "") return NO_REASON;
      account.subscriberType = body.subscriber_type || null;
      note(charging, world, who, "account type", `account ${account.account}: ${body.subscriber_type}`, body.because);
      return ok(asShown(account));
    }),
  ),
  route("GET /api/charging/approvals", "viewer", (world) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const requests = charging.requests.map(({ deed: _, ...request }) => request);
    return ok({ requests, above: shown(APPROVAL_ABOVE, "money") });
  }),
  route("POST /api/charging/approvals/{request}/approve", "operator", (world, { body }, { request: number }, who) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const found = charging.requests.find(({ request }) => String(request) === number);
    if (found === undefined) return unknown(number);
    if (found.who === who)
      return no(
        409,
        `"${who}" asked for it: another user must approve it, by a login and not by a token`,
        "second-person-needed",
      );
    const { deed, ...request } = found;
    deed();
    charging.requests = charging.requests.filter((each) => each !== found);
    note(charging, world, who, found.action, found.subject, `${body.because} (asked for by ${found.who})`);
    return ok(request);
  }),
  route("POST /api/charging/approvals/{request}/reject", "operator", (world, { body }, { request: number }, who) => {
    const charging = of(world);
    if (charging === null) return MISSING;
    const found = charging.requests.find(({ request }) => String(request) === number);
    if (found === undefined) return unknown(number);
    charging.requests = charging.requests.filter((each) => each !== found);
    note(charging, world, who, "account reject", found.subject, body.because);
    const { deed: _, ...request } = found;
    return ok(request);
  }),
];
