/** The parts of a record as a tree. The octets of the selected part are marked beside it. */
import { type KeyboardEvent, useMemo, useRef } from "react";

import type { FileRecord } from "../api/types";
import { type Path, inOrder, keyOf } from "./parts";
import { useReveal } from "./reveal";

interface TreeProps {
  record: FileRecord;
  chosen: Path;
  onChoose: (path: Path) => void;
}

export function Tree({ record, chosen, onChoose }: TreeProps) {
  const all = useMemo(() => inOrder(record.parts), [record]);
  const tree = useRef<HTMLUListElement>(null);
  const key = keyOf(chosen);
  const place = all.findIndex(({ path }) => keyOf(path) === key);
  useReveal(tree, "[aria-selected='true']", key);
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: all.length - 1 };
    const to = all[steps[event.key] ?? -1];
    // Left goes to the enclosing part, right to the first part within.
    if (event.key === "ArrowLeft" && chosen.length > 1) onChoose(chosen.slice(0, -1));
    else if (event.key === "ArrowRight" && (all[place]?.part.parts.length ?? 0) > 0) onChoose([...chosen, 0]);
    else if (to !== undefined) onChoose(to.path);
    else return;
    event.preventDefault();
  };
  return (
    <ul
      ref={tree}
      className="record-tree"
      role="tree"
      aria-label="Parts of the record"
      aria-activedescendant={place < 0 ? undefined : `part-${key}`}
      tabIndex={0}
      onKeyDown={move}
    >
      {all.map(({ path, part }) => {
        const own = keyOf(path);
        return (
          <li
            key={own}
            id={`part-${own}`}
            role="treeitem"
            aria-level={path.length}
            aria-selected={own === key}
            className={`part depth-${Math.min(path.length, 12)}`}
            onClick={() => onChoose(path)}
          >
            <span className="part-name">{part.name}</span>
            <span className="part-type">
              {[part.type, part.tag].filter((each) => each != null && each !== "").join(" ")}
            </span>
            {part.value != null && (
              <span className="part-value fixed">
                {part.value}
                {part.is_cut && "…"}
              </span>
            )}
            {part.is_cut && <span className="muted"> {part.content_length} octets, of which the first are shown</span>}
            {part.fault != null && <span className="part-fault"> {part.fault}</span>}
          </li>
        );
      })}
    </ul>
  );
}
