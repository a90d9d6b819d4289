/** Finds a node by its name, kind or script, and centres it. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";

import type { Graph, GraphNode } from "../api/types";
import { Icon, KindIcon } from "../parts/icons";
import { kindName } from "./shown";

const FOUND_MAX = 8;

/** Returns the nodes that match. Names that begin with the text come first. */
export function find(graph: Graph, text: string): GraphNode[] {
  const words = text.trim().toLowerCase();
  if (words === "") return [];
  const rank = ({ name, kind, script }: GraphNode) => {
    const lower = name.toLowerCase();
    if (lower.startsWith(words)) return 0;
    if (lower.includes(words)) return 1;
    return [kindName(kind), script ?? ""].some((each) => each.toLowerCase().includes(words)) ? 2 : 3;
  };
  return graph.nodes
    .map((node) => [rank(node), node] as const)
    .filter(([place]) => place < 3)
    .sort(([one], [other]) => one - other)
    .slice(0, FOUND_MAX)
    .map(([, node]) => node);
}

export function Search({ graph, onFound }: { graph: Graph; onFound: (name: string) => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const found = find(graph, text);
  const isShown = isOpen && found.length > 0;

  useEffect(() => {
    const slash = (event: globalThis.KeyboardEvent) => {
      const on = event.target as HTMLElement;
      if (
        event.key !== "/" ||
        event.ctrlKey ||
        event.metaKey ||
        on.closest("input, textarea, select, [contenteditable]") !== null
      )
        return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener("keydown", slash);
    return () => document.removeEventListener("keydown", slash);
  }, []);

  const choose = (node: GraphNode | undefined) => {
    if (node === undefined) return;
    setOpen(false);
    setText(node.name);
    onFound(node.name);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, found.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter") choose(found[at]);
    else if (event.key === "Escape") setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <div className="search">
      <Icon name="search" size={16} />
      <input
        ref={field}
        type="search"
        role="combobox"
        aria-label="Find a node"
        aria-expanded={isShown}
        aria-controls={`${id}-found`}
        aria-activedescendant={isShown ? `${id}-${at}` : undefined}
        aria-autocomplete="list"
        placeholder="Find a node ( / )"
        autoComplete="off"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
          setOpen(true);
        }}
        onKeyDown={keys}
        onBlur={() => setOpen(false)}
      />
      <ul id={`${id}-found`} role="listbox" aria-label="Nodes found" className="search-found" hidden={!isShown}>
        {found.map((node, place) => (
          <li
            key={node.name}
            id={`${id}-${place}`}
            role="option"
            aria-selected={place === at}
            // On mouse down, before the field loses the focus and the list closes.
            onMouseDown={(event) => {
              event.preventDefault();
              choose(node);
            }}
          >
            <span className={`kind kind-${node.kind}`}>
              <KindIcon kind={node.kind} size={16} />
            </span>
            {node.name}
          </li>
        ))}
      </ul>
      <span className="unseen" role="status">
        {text !== "" && isOpen ? `${found.length} found` : ""}
      </span>
    </div>
  );
}
