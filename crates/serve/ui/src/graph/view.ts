/** Controls the visible part of the graph: all of it, until the user moves it. The selected node stays visible. */
import { useReactFlow } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useRef } from "react";

import { isStill } from "../parts/media";
import type { Places } from "./layout";
import { inSight, inTheMiddle } from "./sight";

export const FIT = { padding: 0.05, maxZoom: 1.1 };

/** Below this zoom, text is not readable. */
const READ_ZOOM_MIN = 0.65;

/** The duration of the movement to a node. It shows where the node is. */
const MOVE_MS = 200;

/** The largest part of the graph that a panel covers in a narrow window (styles/panel.css). */
const PANEL_SHARE = 0.62;

interface Seen {
  where: Places;
  /** The selected node. */
  node: string | null;
  /** The node to centre. Each new object moves the view again. */
  sought: { node: string } | null;
  isNarrow: boolean;
}

/** Returns a function to call when the user moves the graph. */
export function useView(frame: RefObject<HTMLDivElement | null>, { where, node, sought, isNarrow }: Seen): () => void {
  const flow = useReactFlow();
  const isLookedAt = useRef(false);
  /** The node to keep in the middle, until the user moves the graph. */
  const goal = useRef<string | null>(null);
  const latest = useRef({ where, node });
  latest.current = { where, node };

  useEffect(() => {
    if (!isLookedAt.current) void flow.fitView(FIT);
  }, [where.size, isNarrow, flow]);
  useEffect(() => {
    if (frame.current === null) return;
    // An open panel makes the graph smaller. Show all of it again, or the selected node at a readable size.
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
    // In a narrow window the panel covers the graph: move the selected node above it.
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
    // React Flow does not know the new size yet when a panel has just opened. The element does.
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
