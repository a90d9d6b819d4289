/** The graph, drawn. What is chosen and what is changed is decided above it. */
import "@xyflow/react/dist/base.css";
import "../styles/nodes.css";

import { Background, type Connection, Controls, MiniMap, ReactFlow, useReactFlow } from "@xyflow/react";
import { type DragEvent, type KeyboardEvent, useEffect, useMemo, useRef } from "react";

import type { Edit, Graph } from "../api/types";
import { useIsNarrow } from "../parts/media";
import { FlowEdgeLine } from "./flow-edge";
import { places } from "./layout";
import { inSight, inTheMiddle } from "./sight";
import { NodeCard } from "./node-card";
import { type CardNode, type FlowEdge, type Shown, cards, edges, takesRecords, wordOf } from "./shown";

const NODE_TYPES = { card: NodeCard };
const EDGE_TYPES = { flow: FlowEdgeLine };
/** How much of the graph a panel covers at most, where it is narrow (styles/panel.css). */
const PANEL_SHARE = 0.62;
/** Smaller, nobody can read it. */
const READ_ZOOM_MIN = 0.65;
const FIT = { padding: 0.05, maxZoom: 1.1 };

/** What the palette gives whoever drags it. */
export const DRAGGED = "application/x-tollgate-kind";

export type Selected = { node: string } | { edge: string } | null;

interface CanvasProps {
  graph: Graph;
  shown: Shown;
  isEdited: boolean;
  selected: Selected;
  /** A node that is to be brought to the middle, each time this is another object. */
  sought: { node: string } | null;
  onSelect: (selected: Selected) => void;
  onEdit: (edit: Edit) => void;
  /** A kind was dropped, perhaps on a node that its records are to come from. */
  onDropped: (kind: string, from: string | null) => void;
}

export function Canvas(props: CanvasProps) {
  const { graph, shown, isEdited, selected, sought, onSelect, onEdit, onDropped } = props;
  const isNarrow = useIsNarrow();
  const direction = isNarrow ? "down" : "right";
  const flow = useReactFlow<CardNode, FlowEdge>();
  const where = useMemo(() => places(graph, direction), [graph, direction]);
  const node = selected !== null && "node" in selected ? selected.node : null;
  const edge = selected !== null && "edge" in selected ? selected.edge : null;
  const shownNodes = useMemo(
    () => cards(graph, where, direction, { ...shown, isEdited, selected: node }),
    [graph, where, direction, shown, isEdited, node],
  );
  const shownEdges = useMemo(() => edges(graph, edge), [graph, edge]);

  // All of it is shown, until somebody looks at a part: that stays where it is.
  const isLookedAt = useRef(false);
  const frame = useRef<HTMLDivElement>(null);
  const chosen = useRef(node);
  chosen.current = node;
  /** The node that is to be in the middle, until somebody looks elsewhere. */
  const goal = useRef<string | null>(null);
  const latest = useRef(where);
  latest.current = where;
  useEffect(() => {
    if (!isLookedAt.current) void flow.fitView(FIT);
  }, [graph.nodes.length, direction, flow]);
  useEffect(() => {
    if (frame.current === null) return;
    // A panel takes room from the graph: the rest shows all of it, or what somebody has chosen in a size to read.
    const watcher = new ResizeObserver(async ([entry]) => {
      const name = chosen.current;
      if (!isLookedAt.current) await flow.fitView(name === null ? FIT : { ...FIT, minZoom: READ_ZOOM_MIN });
      const place = name === null ? undefined : latest.current.get(name);
      if (entry === undefined || place === undefined) return;
      const isSought = goal.current === name;
      const next = isSought
        ? inTheMiddle(place, entry.contentRect)
        : inSight(place, flow.getViewport(), entry.contentRect);
      if (next !== null) void flow.setViewport(next);
    });
    watcher.observe(frame.current);
    return () => watcher.disconnect();
  }, [flow]);
  useEffect(() => {
    // Where it is narrow the panel lies over the graph: what is chosen is brought to above it.
    const place = node === null ? undefined : latest.current.get(node);
    if (!isNarrow || place === undefined || frame.current === null) return;
    const { clientWidth: width, clientHeight: height } = frame.current;
    const next = inSight(place, flow.getViewport(), { width, height: height * (1 - PANEL_SHARE) });
    if (next !== null) void flow.setViewport(next);
  }, [node, isNarrow, flow]);
  useEffect(() => {
    const place = sought === null ? undefined : where.get(sought.node);
    if (sought === null || place === undefined || frame.current === null) return;
    isLookedAt.current = true;
    goal.current = sought.node;
    // React Flow does not know yet how much room a panel has just taken; the element does.
    const { clientWidth: width, clientHeight: height } = frame.current;
    const shown = { width, height: isNarrow ? height * (1 - PANEL_SHARE) : height };
    void flow.setViewport(inTheMiddle(place, shown), { duration: 200 });
  }, [sought, where, isNarrow, flow]);

  const connect = ({ source, sourceHandle, target }: Connection) =>
    onEdit({ do: "connect", from: wordOf(source, sourceHandle), to: target });
  const isAllowed = ({ source, target }: Connection | FlowEdge) => {
    const to = graph.nodes.find((each) => each.name === target);
    return source !== target && to !== undefined && takesRecords(to.kind);
  };
  const keys = (event: KeyboardEvent) => {
    if (!isEdited || (event.key !== "Delete" && event.key !== "Backspace")) return;
    const found = shownEdges.find((each) => each.id === edge);
    if (found?.data !== undefined) onEdit({ do: "disconnect", from: found.data.word, to: found.target });
    else if (node !== null) onEdit({ do: "remove", name: node });
  };
  const drop = (event: DragEvent) => {
    const kind = event.dataTransfer.getData(DRAGGED);
    if (kind === "") return;
    event.preventDefault();
    const on = (event.target as Element).closest(".react-flow__node");
    onDropped(kind, on?.getAttribute("data-id") ?? null);
  };

  return (
    <div
      className="canvas"
      ref={frame}
      onKeyDown={keys}
      onDrop={drop}
      onDragOver={(event) => isEdited && event.preventDefault()}
    >
      <ReactFlow<CardNode, FlowEdge>
        aria-label="The graph of the flow"
        nodes={shownNodes}
        edges={shownEdges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        nodesDraggable={false}
        nodesConnectable={isEdited}
        edgesFocusable={isEdited}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        minZoom={0.1}
        maxZoom={2}
        fitView
        fitViewOptions={FIT}
        onMove={(event) => {
          if (event === null) return;
          isLookedAt.current = true;
          goal.current = null;
        }}
        onConnect={connect}
        isValidConnection={isAllowed}
        onNodesChange={(changes) => {
          // The keyboard chooses as the mouse does.
          for (const each of changes) if (each.type === "select" && each.selected) onSelect({ node: each.id });
        }}
        onEdgesChange={(changes) => {
          for (const each of changes) if (each.type === "select" && each.selected) onSelect({ edge: each.id });
        }}
        onPaneClick={() => onSelect(null)}
      >
        <Background gap={24} />
        <Controls showInteractive={false} position="bottom-left" />
        {!isNarrow && (
          <MiniMap
            className="map"
            pannable
            zoomable
            ariaLabel="Small map of the graph"
            nodeClassName={(each) => `map-${(each as CardNode).data.node.kind}`}
          />
        )}
      </ReactFlow>
    </div>
  );
}
