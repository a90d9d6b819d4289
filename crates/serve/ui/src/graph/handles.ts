/** Edges begin where handles are: React Flow is told of those that have moved, of all nodes at once. */
import { useUpdateNodeInternals } from "@xyflow/react";
import { useEffect, useRef } from "react";

import type { CardNode } from "./shown";

/** A node that tells of its own has React Flow look at all of them: at a thousand nodes, a million times. */
export function useHandles(nodes: CardNode[]): void {
  const update = useUpdateNodeInternals();
  const before = useRef<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    const now = new Map(
      nodes.map(({ id, data }) => [id, `${data.handles.join(" ")} ${data.direction} ${data.isEdited}`]),
    );
    // Of a node that is new the handles are found as it is measured.
    const moved = [...now].filter(([id, where]) => (before.current.get(id) ?? where) !== where).map(([id]) => id);
    before.current = now;
    if (moved.length > 0) update(moved);
  }, [nodes, update]);
}
