/** Plays a trial call while the page is open, and hangs up when it is left. */
import { useEffect, useRef, useState } from "react";

import type { Refusal } from "../api/client";
import { type TrialRequest, gateway } from "../api/gateway";
import { asRefusal } from "../parts/load";
import { newReference } from "./reference";
import { type TrialPlan, type TrialStep, passedOf, trialSteps } from "./trial";

/** The interval in which the time of the call is shown. */
const TICK_MS = 250;

export interface Trial {
  plan: TrialPlan;
  steps: readonly TrialStep[];
  /** The seconds that were used, with those since the last report. */
  used: number;
  isOver: boolean;
  problem: Refusal | null;
}

const pause = (ms: number) => new Promise((after) => setTimeout(after, ms));

/** `onStep` runs after each answer. */
export function useTrial(onStep: () => void) {
  const [trial, setTrial] = useState<Trial | null>(null);
  const hasHungUp = useRef(false);
  const latest = useRef(onStep);
  latest.current = onStep;
  const hangUp = () => {
    hasHungUp.current = true;
  };
  useEffect(() => hangUp, []);
  const place = async (plan: TrialPlan) => {
    hasHungUp.current = false;
    let reported = 0;
    let now: Trial = { plan, steps: [], used: 0, isOver: false, problem: null };
    const become = (next: Partial<Trial>) => setTrial((now = { ...now, ...next }));
    const pass = async (granted: number) => {
      const begun = performance.now();
      for (;;) {
        const used = passedOf(granted, performance.now() - begun, plan.speed);
        become({ used: reported + used });
        if (used === granted || hasHungUp.current) {
          reported += used;
          return used;
        }
        await pause(TICK_MS);
      }
    };
    become({});
    try {
      const send = (request: TrialRequest) => gateway.sendTrialRequest(plan.number, request);
      for await (const step of trialSteps(plan, newReference(), send, pass)) {
        become({ steps: [...now.steps, step] });
        latest.current();
      }
      become({ isOver: true });
    } catch (error) {
      become({ isOver: true, problem: asRefusal(error) });
    }
  };
  return { trial, place, hangUp, forget: () => setTrial(null) };
}
