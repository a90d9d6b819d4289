/** Chooses the sources of a node by keyboard. It does the same as connecting handles. */
import { useId } from "react";

import type { Edit, Graph, GraphNode } from "../api/types";
import { Icon } from "../parts/icons";
import { outputs, wordOf } from "./shown";

interface SourcesProps {
  graph: Graph;
  node: GraphNode;
  isEdited: boolean;
  onEdit: (edit: Edit) => void;
  onSelect: (name: string) => void;
}

/** Returns all outputs that a node's `from` can name. */
export const words = (graph: Graph, except: string | null) =>
  graph.nodes
    .filter(({ name }) => name !== except)
    .flatMap((node) => outputs(node).map((handle) => wordOf(node.name, handle)));

export function SourcesForm({ graph, node, isEdited, onEdit, onSelect }: SourcesProps) {
  const id = useId();
  const taken = new Set(node.from.map((from) => from.word));
  const free = words(graph, node.name).filter((word) => !taken.has(word));
  return (
    <div className="sources">
      {node.from.length === 0 && <p className="muted">Nothing yet.</p>}
      <ul>
        {node.from.map((from) => (
          <li key={from.word}>
            <button type="button" className="button button-quiet fixed" onClick={() => onSelect(from.node)}>
              {from.word}
            </button>
            {isEdited && (
              <button
                type="button"
                className="button button-quiet"
                aria-label={`Disconnect ${from.word}`}
                onClick={() => onEdit({ do: "disconnect", from: from.word, to: node.name })}
              >
                <Icon name="remove" size={16} />
              </button>
            )}
          </li>
        ))}
      </ul>
      {isEdited && free.length > 0 && (
        <div className="field">
          <label htmlFor={id}>Take records from one more</label>
          <select
            id={id}
            value=""
            onChange={(event) =>
              event.target.value !== "" && onEdit({ do: "connect", from: event.target.value, to: node.name })
            }
          >
            <option value="">choose one</option>
            {free.map((word) => (
              <option key={word}>{word}</option>
            ))}
          </select>
        </div>
      )}
    </div>
  );
}
