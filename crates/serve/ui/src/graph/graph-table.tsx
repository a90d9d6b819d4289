/** The graph as a table, for screen readers and for comparing figures. */
import type { Graph, GraphNode } from "../api/types";
import { flowing, ofNode, troubleOf } from "../live/figures";
import { useLive } from "../live/live";
import { KindIcon } from "../parts/icons";
import { count, perSecond } from "../parts/numbers";
import { type Column, Table } from "../parts/table";
import { type Shown, kindName } from "./shown";

interface GraphTableProps {
  graph: Graph;
  shown: Shown;
  onSelect: (name: string) => void;
}

export function GraphTable({ graph, shown: { diagnostics, alarms, suspended }, onSelect }: GraphTableProps) {
  const now = useLive((live) => live.now);
  const before = useLive((live) => live.before);
  const earlier = useLive((live) => live.earlier);
  const columns: Column<GraphNode>[] = [
    {
      name: "Node",
      cell: (node) => (
        <button type="button" className="as-link" onClick={() => onSelect(node.name)}>
          {node.name}
        </button>
      ),
    },
    {
      name: "Kind",
      cell: (node) => (
        <span className={`kind-cell kind-${node.kind}`}>
          <KindIcon kind={node.kind} size={16} />
          {kindName(node.kind)}
        </span>
      ),
    },
    {
      name: "Takes records from",
      cell: (node) => <span className="fixed">{node.from.map((from) => from.word).join(", ")}</span>,
      isWide: true,
    },
    {
      name: "Records a second",
      isNumber: true,
      cell: (node) => perSecond(flowing(before, now, ofNode(node.name))?.rate ?? null),
    },
    { name: "Records", isNumber: true, cell: (node) => count(flowing(before, now, ofNode(node.name))?.total ?? 0) },
    { name: "Waiting", isNumber: true, cell: (node) => count(troubleOf(node, earlier, now).waiting) },
    { name: "In suspense", isNumber: true, cell: (node) => count(suspended.get(node.name) ?? 0) },
    {
      name: "Alarms",
      isNumber: true,
      cell: (node) => alarms.filter((alarm) => alarm.subject === node.name && alarm.cleared === null).length,
    },
    {
      name: "Mistakes",
      isNumber: true,
      cell: (node) => diagnostics.filter((each) => each.node === node.name && each.severity === "error").length,
    },
  ];
  return (
    <div className="page">
      <Table label="Nodes of the flow" columns={columns} rows={graph.nodes} rowKey={(node) => node.name} />
    </div>
  );
}
