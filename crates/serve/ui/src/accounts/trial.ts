/**
 * A trial call: requests like those of a network, one after the other. Each is charged.
 *
 * The page is the network: it requests a grant, lets the time of the call pass, and reports what was used.
 */
import type { TrialRequest } from "../api/gateway";
import type { TrialAnswer, TrialPhase } from "../api/types";

/** What is called, for how long, and how fast. */
export interface TrialPlan {
  /** The number that pays. */
  number: string;
  service: string;
  called: string;
  /** The seconds of the call. */
  seconds: number;
  /** The seconds between two reports. */
  every: number;
  /** The seconds of the call that pass in a second. */
  speed: number;
  because: string;
}

/** A request that was sent, and its answer. */
export interface TrialStep {
  request: number;
  phase: TrialPhase;
  /** The seconds that it reported. */
  used: number;
  answer: TrialAnswer;
}

/** How fast a call goes, and the name of that. */
export const SPEEDS: readonly [speed: number, name: string][] = [
  [60, "a minute in a second"],
  [10, "10 seconds in a second"],
  [1, "like a real call"],
  [Infinity, "at once"],
];

/**
 * Sends the requests of a call until it ends. `pass` lets the seconds of a grant pass, and returns how many were used:
 * fewer if the user hangs up.
 */
export async function* trialSteps(
  { service, called, seconds, every, because }: TrialPlan,
  session: string,
  send: (request: TrialRequest) => Promise<TrialAnswer>,
  pass: (seconds: number) => Promise<number>,
): AsyncGenerator<TrialStep, void> {
  let phase: TrialPhase = "first";
  let used = 0;
  let left = seconds;
  for (let request = 0; ; request += 1) {
    const amounts = {
      ...(phase === "first" ? {} : { used }),
      ...(phase === "final" ? {} : { wanted: Math.min(every, left) }),
    };
    const answer = await send({ session, request, phase, service, called, unit: "seconds", because, ...amounts });
    yield { request, phase, used, answer };
    if (phase === "final" || answer.granted == null) return;
    const granted = Math.min(answer.granted, left);
    used = await pass(granted);
    left -= used;
    phase = left === 0 || answer.final || used < granted ? "final" : "next";
  }
}

/** Returns the seconds of a grant that have passed after some milliseconds. */
export const passedOf = (granted: number, ms: number, speed: number) =>
  speed === Infinity ? granted : Math.min(granted, Math.floor((ms / 1_000) * speed));

/** Describes how a call ended, by its last step. */
export function endOf({ phase, answer }: TrialStep): string {
  if (answer.refused != null) return `The call is refused: ${answer.refused.text}.`;
  if (phase === "final") return `The call has ended. It cost ${answer.paid} ${answer.currency}.`;
  return "The call goes on.";
}
