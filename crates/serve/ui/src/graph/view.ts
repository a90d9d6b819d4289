/** Which part of the graph is seen: all of it, until somebody looks at a part; and what is chosen stays in sight. */
import { useReactFlow } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useRef } from "react";

import { isStill } from "../parts/media";
import type { Places } from "./layout";
import { inSight, inTheMiddle } from "./sight";

export const FIT = { padding: 0.05, maxZoom: 1.1 };

/** Smaller, nobody can read it. */
const READ_ZOOM_MIN = 0.65;

/** How long the graph moves to what is sought: it is seen where that lies. */
const MOVE_MS = 200;

/** How much of the graph a panel covers at most, where it is narrow (styles/panel.css). */
const PANEL_SHARE = 0.62;

interface Seen {
  where: Places;
  /** What is chosen. */
  node: string | null;
  /** What is to be brought to the middle, each time it is another object. */
  sought: { node: string } | null;
  isNarrow: boolean;
}

/** Gives what is to be called when somebody moves the graph. */
export function useView(frame: RefObject<HTMLDivElement | null>, { where, node, sought, isNarrow }: Seen): () => void {
  const flow = useReactFlow();
  const isLookedAt = useRef(false);
  /** The node that is to be in the middle, until somebody looks elsewhere. */
  const goal = useRef<string | null>(null);
  const latest = useRef({ where, node });
  latest.current = { where, node };

  useEffect(() => {
    if (!isLookedAt.current) void flow.fitView(FIT);
  }, [where.size, isNarrow, flow]);
  useEffect(() => {
    if (frame.current === null) return;
    // A panel takes room from the graph: the rest shows all of it, or what somebody has chosen in a size to read.
    const watcher = new ResizeObserver(async ([entry]) => {
      const { node: name } = latest.current;
      if (!isLookedAt.current) await flow.fitView(name === null ? FIT : { ...FIT, minZoom: READ_ZOOM_MIN });
      const place = name === null ? undefined : latest.current.where.get(name);
      if (entry === undefined || place === undefined) return;
      const next =
        goal.current === name
          ? inTheMiddle(place, entry.contentRect)
          : inSight(place, flow.getViewport(), entry.contentRect);
      if (next !== null) void flow.setViewport(next);
    });
    watcher.observe(frame.current);
    return () => watcher.disconnect();
  }, [frame, flow]);
  useEffect(() => {
    // Where it is narrow the panel lies over the graph: what is chosen is brought to above it.
    const place = node === null ? undefined : latest.current.where.get(node);
    if (!isNarrow || place === undefined || frame.current === null) return;
    const next = inSight(place, flow.getViewport(), roomOf(frame.current, isNarrow));
    if (next !== null) void flow.setViewport(next);
  }, [frame, node, isNarrow, flow]);
  useEffect(() => {
    const place = sought === null ? undefined : latest.current.where.get(sought.node);
    if (sought === null || place === undefined || frame.current === null) return;
    isLookedAt.current = true;
    goal.current = sought.node;
    // React Flow does not know yet how much room a panel has just taken; the element does.
    const next = inTheMiddle(place, roomOf(frame.current, isNarrow));
    void flow.setViewport(next, { duration: isStill() ? 0 : MOVE_MS });
  }, [frame, sought, isNarrow, flow]);

  return useCallback(() => {
    isLookedAt.current = true;
    goal.current = null;
  }, []);
}

const roomOf = ({ clientWidth: width, clientHeight: height }: HTMLElement, isNarrow: boolean) => ({
  width,
  height: isNarrow ? height * (1 - PANEL_SHARE) : height,
});
