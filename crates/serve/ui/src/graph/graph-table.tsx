/** The graph as a table, for screen readers and for comparing figures. */
import type { Graph, GraphNode } from "../api/types";
import { type Flowing, flowing, ofNode, spanName, troubleOf } from "../live/figures";
import { useLive } from "../live/live";
import { useSpan } from "../live/span";
import { KindIcon } from "../parts/icons";
import { Sublist } from "../parts/list";
import { count, perSecond } from "../parts/numbers";
import type { Column } from "../parts/table";
import { type Shown, kindName } from "./shown";

interface GraphTableProps {
  graph: Graph;
  shown: Shown;
  onSelect: (name: string) => void;
}

const number = (name: string, of: (node: GraphNode) => number): Column<GraphNode> => ({
  name,
  isNumber: true,
  cell: (node) => count(of(node)),
  value: of,
});

export function GraphTable({ graph, shown: { diagnostics, alarms, suspended }, onSelect }: GraphTableProps) {
  const now = useLive((live) => live.now);
  const earlier = useLive((live) => live.earlier);
  const span = useSpan();
  const of = ({ name }: GraphNode): Flowing =>
    now === null ? { records: 0, rate: null } : flowing(now, span, ofNode(name));
  const columns: Column<GraphNode>[] = [
    {
      name: "Node",
      cell: (node) => (
        <button type="button" className="as-link" onClick={() => onSelect(node.name)}>
          {node.name}
        </button>
      ),
      value: (node) => node.name,
    },
    {
      name: "Kind",
      cell: (node) => (
        <span className={`kind-cell kind-${node.kind}`}>
          <KindIcon kind={node.kind} size={16} />
          {kindName(node.kind)}
        </span>
      ),
      value: (node) => kindName(node.kind),
    },
    {
      name: "Takes records from",
      cell: (node) => <span className="fixed">{node.from.map((from) => from.word).join(", ")}</span>,
      value: (node) => node.from.map((from) => from.word).join(", "),
      isWide: true,
    },
    {
      name: "Records a second",
      isNumber: true,
      cell: (node) => perSecond(of(node).rate),
      value: (node) => of(node).rate,
    },
    number(`Records, ${spanName[span]}`, (node) => of(node).records),
    number("Waiting", (node) => troubleOf(node, earlier, now).waiting),
    number("In suspense", (node) => suspended.get(node.name) ?? 0),
    number(
      "Alarms",
      (node) => alarms.filter(({ subject, cleared }) => subject === node.name && cleared == null).length,
    ),
    number(
      "Mistakes",
      (node) => diagnostics.filter((each) => each.node === node.name && each.severity === "error").length,
    ),
  ];
  return (
    <div className="page">
      <Sublist label="Nodes of the flow" columns={columns} rows={graph.nodes} rowKey={(node) => node.name} />
    </div>
  );
}
