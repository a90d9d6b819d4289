/** The kinds of nodes, to drag onto the canvas. The button "Add" works without a mouse. */
import type { Kind } from "../api/types";
import { KindIcon } from "../parts/icons";
import { DRAGGED } from "./canvas";
import { kindName } from "./shown";

export function Palette({ kinds, onAdd }: { kinds: Kind[]; onAdd: (kind: string) => void }) {
  return (
    <ul className="palette" aria-label="Kinds of nodes">
      {kinds.map(({ kind }) => (
        <li key={kind}>
          <button
            type="button"
            className={`button palette-kind kind-${kind}`}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.setData(DRAGGED, kind);
              event.dataTransfer.effectAllowed = "copy";
            }}
            onClick={() => onAdd(kind)}
            aria-label={`Add a ${kindName(kind).toLowerCase()}`}
            title="Drag it onto the graph, or click"
          >
            <KindIcon kind={kind} size={16} />
            {kindName(kind)}
          </button>
        </li>
      ))}
    </ul>
  );
}
