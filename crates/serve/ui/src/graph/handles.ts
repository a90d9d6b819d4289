/** Edges begin at handles. This tells React Flow which handles moved, for all nodes at once. */
import { useUpdateNodeInternals } from "@xyflow/react";
import { useEffect, useRef } from "react";

import type { CardNode } from "./shown";

/**
 * Updates the handles of all nodes in one call. For one call, React Flow examines all nodes; a call from each of a
 * thousand nodes would examine a million.
 */
export function useHandles(nodes: CardNode[]): void {
  const update = useUpdateNodeInternals();
  const before = useRef<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    const now = new Map(
      nodes.map(({ id, data }) => [id, `${data.handles.join(" ")} ${data.direction} ${data.isEdited}`]),
    );
    // The handles of a new node are found when it is measured.
    const moved = [...now].filter(([id, where]) => (before.current.get(id) ?? where) !== where).map(([id]) => id);
    before.current = now;
    if (moved.length > 0) update(moved);
  }, [nodes, update]);
}
