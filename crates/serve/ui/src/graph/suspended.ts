/** The number of open records in suspense of each node, for the graph. */
import { useEffect, useMemo, useRef } from "react";

import { gateway } from "../api/gateway";
import { suspendedAt } from "../live/figures";
import { useLive } from "../live/live";
import { useLoad } from "../parts/load";

/** The interval of requests, which are made only if the total changed, because they read the journal. */
const ASKED_MS = 10_000;

export function useSuspended(): ReadonlyMap<string, number> {
  const open = useLive(({ now }) => now?.suspense_open ?? 0);
  const { value, again } = useLoad(gateway.suspendedNodes, []);
  const latest = useRef(open);
  latest.current = open;
  const asked = useRef(open);
  useEffect(() => {
    const timer = setInterval(() => {
      if (asked.current === latest.current) return;
      asked.current = latest.current;
      again();
    }, ASKED_MS);
    return () => clearInterval(timer);
  }, [again]);
  return useMemo(() => suspendedAt(value?.nodes ?? []), [value]);
}
