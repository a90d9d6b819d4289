/** Prices, and trial calls that are charged. A second costs a hundredth. */
import type { ChargedUsage, PriceEnquiry, TrialAnswer } from "../../src/api/types.ts";
import { type FakeRoute, at, no, ok, route } from "./answering.ts";
import { NO_REASON, forAccount } from "./charging-routes.ts";
import { CURRENCY, SERVICES, begin, endSession, free, note, post, shown } from "./charging.ts";

const NO_MONEY = { code: "no-money", text: "there is no money for the service" };

function charged(
  of: { service: string; called: string; served: string; start: string },
  seconds: number,
): ChargedUsage {
  const { service, called: other, served, start } = of;
  return {
    service,
    client: "",
    served,
    other,
    partner: "",
    start,
    used: `${seconds} seconds`,
    paid_by_balances: 0,
    part: null,
    priced: seconds,
    billed: seconds,
    free: 0,
    total: shown(seconds, "money"),
    before: "0.00",
    steps: [
      { step: "number analysis", found: `${other} is in the zone mobile`, file: "numbers.csv", line: 14 },
      { step: "price", found: "0.01 a second", file: "prices.csv", line: 7 },
    ],
  };
}

const noPrice = (service: string) =>
  no(422, `the usage has no price: service: no class for the service "${service}"`, "price-missing");

export const TRIAL_ROUTES: FakeRoute[] = [
  route("GET /api/accounts/{account}/price", "viewer", (world, { query }, { account: name }) =>
    forAccount<PriceEnquiry>(world, name, (account) => {
      const [service, called, seconds] = [
        query.get("service")!,
        query.get("called") ?? "",
        Number(query.get("quantity")),
      ];
      if (service !== SERVICES[0]) return noPrice(service);
      const left = free(account, account.buckets[0]!);
      return ok<PriceEnquiry>({
        account: account.account,
        currency: CURRENCY,
        price: shown(seconds, "money"),
        charged: charged({ service, called, served: name, start: at(world) }, seconds),
        affordable: left,
        affordable_unit: "seconds",
        free: false,
        refused: left === 0 ? NO_MONEY : null,
      });
    }),
  ),
  route("POST /api/accounts/{account}/trial", "operator", (world, { body }, { account: name }, who) =>
    forAccount<TrialAnswer>(world, name, (account, charging) => {
      const { session: key, phase, service, called = "", used, wanted, because } = body;
      if (because === "") return NO_REASON;
      const main = account.buckets[0]!;
      const answer = {
        account: account.account,
        session: key,
        capped: false,
        currency: CURRENCY,
        final: false,
      } as const;
      const refused = (why: typeof NO_MONEY) =>
        ok<TrialAnswer>({
          ...answer,
          granted: null,
          unit: null,
          valid_seconds: null,
          refused: why,
          paid: "0.00",
          reserved: "0.00",
        });
      if (service !== SERVICES[0]) return refused({ code: "no-price", text: "the service has no price" });
      if (phase === "first" && free(account, main) === 0) return refused(NO_MONEY);
      const known = account.sessions.find((each) => each.session === key);
      if (phase !== "first" && (known === undefined || known.ended))
        return refused({ code: "session-unknown", text: "there is no such session" });
      const [start, until] = [at(world), new Date(world.now() + 600_000).toISOString()];
      const of = { session: key, client: `trial of ${who}`, number: name, called, services: [service] };
      const session = known ?? begin(account, { ...of, start, until, used: "", granted: "" });
      main.reserved -= session.reserved;
      session.reserved = 0;
      if (used != null && used > 0) {
        session.paid += used;
        session.used = `${session.paid} seconds`;
        const usage = charged({ service, called, served: name, start: session.start }, session.paid);
        const before = shown(session.paid - used, "money");
        post(account, main, -used, "revenue", {
          at: at(world),
          session: key,
          charged: { ...usage, client: of.client, used: `${used} seconds`, before },
        });
      }
      const granted = phase === "final" ? 0 : Math.min(wanted ?? 60, free(account, main));
      session.reserved = granted;
      main.reserved += granted;
      session.granted = `${granted} seconds`;
      if (phase === "final") endSession(account, key);
      const subject = `account ${account.account}: ${phase} request of a trial call: ${service} to ${called}`;
      note(charging, world, who, "account trial", subject, because);
      return ok<TrialAnswer>({
        ...answer,
        final: phase !== "final" && granted < (wanted ?? 60),
        granted: granted === 0 ? null : granted,
        unit: granted === 0 ? null : "seconds",
        valid_seconds: granted === 0 ? null : 600,
        refused: granted === 0 && phase !== "final" ? NO_MONEY : null,
        paid: shown(session.paid, "money"),
        reserved: shown(session.reserved, "money"),
      });
    }),
  ),
];
