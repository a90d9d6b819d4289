/** Trial calls: the requests that a page sends in place of a network. */
import { describe, expect, it } from "vitest";

import { lasting } from "../../src/parts/lasting";
import { type TrialPlan, type TrialStep, endOf, passedOf, trialSteps } from "../../src/accounts/trial";
import type { TrialRequest } from "../../src/api/gateway";
import type { TrialAnswer } from "../../src/api/types";

const PLAN: TrialPlan = {
  number: "46701234567",
  service: "voice",
  called: "46812345678",
  seconds: 150,
  every: 60,
  speed: Infinity,
  because: "a look",
};

const answer = (granted: number | null, more: Partial<TrialAnswer> = {}): TrialAnswer => ({
  account: 1,
  session: "a",
  granted,
  unit: granted === null ? null : "seconds",
  valid_seconds: null,
  final: false,
  refused: null,
  capped: false,
  paid: "1.50",
  reserved: "0.00",
  currency: "SEK",
  ...more,
});

/** Plays a call: what was sent, in short, and the steps. */
async function played(
  answered: (request: TrialRequest) => TrialAnswer,
  pass = async (granted: number) => granted,
): Promise<{ sent: string[]; steps: TrialStep[] }> {
  const sent: string[] = [];
  const steps: TrialStep[] = [];
  const send = async (request: TrialRequest) => {
    sent.push(`${request.request} ${request.phase} used ${request.used ?? "-"} wanted ${request.wanted ?? "-"}`);
    return answered(request);
  };
  for await (const step of trialSteps(PLAN, "web-1", send, pass)) steps.push(step);
  return { sent, steps };
}

const all = ({ wanted }: TrialRequest) => answer(wanted ?? null);

describe("a trial call", () => {
  it("reports what was used, and requests no more than is left", async () => {
    const { sent, steps } = await played(all);
    expect(sent).toEqual([
      "0 first used - wanted 60",
      "1 next used 60 wanted 60",
      "2 next used 60 wanted 30",
      "3 final used 30 wanted -",
    ]);
    expect(endOf(steps.at(-1)!)).toBe("The call has ended. It cost 1.50 SEK.");
  });

  it("ends when the user hangs up, and reports what was used until then", async () => {
    let passes = 0;
    const { sent } = await played(all, async (granted) => ((passes += 1) === 2 ? 7 : granted));
    expect(sent.slice(2)).toEqual(["2 final used 7 wanted -"]);
  });

  it("ends after the last grant", async () => {
    const { sent } = await played(({ phase }) => (phase === "final" ? answer(null) : answer(40, { final: true })));
    expect(sent).toEqual(["0 first used - wanted 60", "1 final used 40 wanted -"]);
  });

  it("does not begin if it is refused", async () => {
    const refused = { code: "no-money", text: "there is no money for the service" };
    const { sent, steps } = await played(() => answer(null, { refused }));
    expect(sent.length).toBe(1);
    expect(endOf(steps[0]!)).toBe("The call is refused: there is no money for the service.");
  });

  it("goes as fast as it is wanted", () => {
    expect([passedOf(60, 0, Infinity), passedOf(60, 250, 60), passedOf(60, 5_000, 60)]).toEqual([60, 15, 60]);
    expect(passedOf(60, 2_900, 1)).toBe(2);
  });
});

it("a duration is said in words", () => {
  expect([0, 59, 60, 10_000, 90_061].map(lasting)).toEqual([
    "0 s",
    "59 s",
    "1 min",
    "2 h 46 min 40 s",
    "1 d 1 h 1 min 1 s",
  ]);
});
