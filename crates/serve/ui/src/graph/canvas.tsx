/** Draws the graph. The page decides about selection and changes. */
import "@xyflow/react/dist/base.css";
import "../styles/nodes.css";

import { Background, type Connection, Controls, MiniMap, ReactFlow } from "@xyflow/react";
import { type DragEvent, type KeyboardEvent, useMemo, useRef } from "react";

import type { Edit, Graph } from "../api/types";
import { useIsNarrow } from "../parts/media";
import { FlowEdgeLine } from "./flow-edge";
import { focusNode } from "./focus";
import { places } from "./layout";
import { useHandles } from "./handles";
import { isArrow, neighbour } from "./neighbour";
import { NodeCard } from "./node-card";
import { type CardNode, type FlowEdge, type Shown, cards, edges, takesRecords, wordOf } from "./shown";
import { FIT, useView } from "./view";

const NODE_TYPES = { card: NodeCard };
const EDGE_TYPES = { flow: FlowEdgeLine };

/** The type of the data in a drag from the palette. */
export const DRAGGED = "application/x-tollgate-kind";

export type Selected = { node: string } | { edge: string } | null;

/** Returns the id of the node or edge around an element. */
const idOf = (target: EventTarget, kind: string) => (target as Element).closest(kind)?.getAttribute("data-id") ?? null;

interface CanvasProps {
  graph: Graph;
  shown: Shown;
  isEdited: boolean;
  selected: Selected;
  /** The node to centre. Each new object moves the view again. */
  sought: { node: string } | null;
  onSelect: (selected: Selected) => void;
  onEdit: (edit: Edit) => void;
  /** Called when a kind is dropped. `from` is the node under the pointer, which becomes the source. */
  onDropped: (kind: string, from: string | null) => void;
}

export function Canvas(props: CanvasProps) {
  const { graph, shown, isEdited, selected, sought, onSelect, onEdit, onDropped } = props;
  const isNarrow = useIsNarrow();
  const direction = isNarrow ? "down" : "right";
  const where = useMemo(() => places(graph, direction), [graph, direction]);
  const node = selected !== null && "node" in selected ? selected.node : null;
  const edge = selected !== null && "edge" in selected ? selected.edge : null;
  const shownNodes = useMemo(
    () => cards(graph, where, direction, { ...shown, isEdited, selected: node }),
    [graph, where, direction, shown, isEdited, node],
  );
  useHandles(shownNodes);
  const shownEdges = useMemo(() => edges(graph, edge), [graph, edge]);

  const frame = useRef<HTMLDivElement>(null);
  const onMoved = useView(frame, { where, node, sought, isNarrow });

  const connect = ({ source, sourceHandle, target }: Connection) =>
    onEdit({ do: "connect", from: wordOf(source, sourceHandle), to: target });
  const isAllowed = ({ source, target }: Connection | FlowEdge) => {
    const to = graph.nodes.find((each) => each.name === target);
    return source !== target && to !== undefined && takesRecords(to.kind);
  };
  const keys = (event: KeyboardEvent) => {
    const on = idOf(event.target, ".react-flow__node");
    if (on !== null && isArrow(event.key)) {
      event.preventDefault();
      const next = neighbour(graph, where, direction, on, event.key);
      if (next !== null) focusNode(next);
      return;
    }
    const line = idOf(event.target, ".react-flow__edge");
    if (event.key === "Enter" || event.key === " ") {
      // Enter and space select, as a click does.
      if (on !== null) onSelect({ node: on });
      else if (line !== null) onSelect({ edge: line });
      return;
    }
    if (!isEdited || (event.key !== "Delete" && event.key !== "Backspace")) return;
    // This removes the focused element, not the selected one: arrow keys move the focus, and a focused control is no
    // node.
    const found = shownEdges.find((each) => each.id === line);
    if (found?.data !== undefined) onEdit({ do: "disconnect", from: found.data.word, to: found.target });
    else if (on !== null) onEdit({ do: "remove", name: on });
  };
  const drop = (event: DragEvent) => {
    const kind = event.dataTransfer.getData(DRAGGED);
    if (kind === "") return;
    event.preventDefault();
    onDropped(kind, idOf(event.target, ".react-flow__node"));
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
          if (event !== null) onMoved();
        }}
        // The target of a new edge must not move while the edge is drawn, even near the border.
        autoPanOnConnect={false}
        onConnect={connect}
        isValidConnection={isAllowed}
        // Clicks, not changes of the selection: a click on the selected node brings its panel back in front of another.
        onNodeClick={(_, { id }) => onSelect({ node: id })}
        onEdgeClick={(_, { id }) => onSelect({ edge: id })}
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
