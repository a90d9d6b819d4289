/** The panel of a node: its figures, problems and settings. */
import { useEffect, useState } from "react";

import type {
  Alarm,
  Diagnostic,
  Edit,
  ElementCounts,
  Graph,
  GraphNode,
  Kind,
  NodeCounts,
  SystemCounts,
} from "../api/types";
import { SPANS, type Span, flowing, ofEdge, ofNode, spanName } from "../live/figures";
import { useFlowing, useLive } from "../live/live";
import { Icon, KindIcon } from "../parts/icons";
import { count, octets, perSecond, short } from "../parts/numbers";
import { Link } from "../router/router";
import { scriptAddress } from "../scripts/address";
import { Gathering } from "./gathering";
import { Problems } from "./problems";
import { SettingsForm } from "./settings-form";
import { kindName, takesRecords } from "./shown";
import { SourcesForm } from "./sources-form";
import { WaitingGroups } from "./waiting-groups";

interface PanelProps {
  graph: Graph;
  node: GraphNode;
  kind: Kind | undefined;
  diagnostics: Diagnostic[];
  alarms: Alarm[];
  isEdited: boolean;
  onEdit: (edit: Edit) => void;
  onSelect: (name: string) => void;
  onClose: () => void;
}

export function NodePanel(props: PanelProps) {
  const { graph, node, kind, diagnostics, alarms, isEdited, onEdit, onSelect, onClose } = props;
  const own = diagnostics.filter((each) => each.node === node.name);
  const raised = alarms.filter((alarm) => alarm.subject === node.name && alarm.cleared == null);
  return (
    <section className="panel" aria-label={`${kindName(node.kind)} ${node.name}`}>
      <header className="panel-head">
        <span className={`kind kind-${node.kind}`}>
          <KindIcon kind={node.kind} size={22} />
        </span>
        <div>
          <h2>{node.name}</h2>
          <p className="muted">{kindName(node.kind)}</p>
        </div>
        <button type="button" className="button button-quiet" aria-label="Close the panel" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="panel-body">
        {own.length > 0 && <Problems diagnostics={own} graph={graph} />}
        {raised.length > 0 && (
          <ul className="panel-alarms">
            {raised.map((alarm) => (
              <li key={alarm.id}>
                <span className={`mark mark-${alarm.severity}`}>{alarm.severity}</span>{" "}
                <Link href="/alarms">{alarm.text}</Link>
              </li>
            ))}
          </ul>
        )}
        {isEdited && <Name node={node} onEdit={onEdit} />}
        <Figures graph={graph} node={node} />
        {node.kind === "post-processing-system" && <Gathering system={node.name} />}
        {node.kind === "matching" && <WaitingGroups node={node.name} />}
        {takesRecords(node.kind) && (
          <>
            <h3>Takes records from</h3>
            <SourcesForm graph={graph} node={node} isEdited={isEdited} onEdit={onEdit} onSelect={onSelect} />
          </>
        )}
        <h3>Settings</h3>
        <SettingsForm node={node} kind={kind} isEdited={isEdited} onEdit={onEdit} />
        <p className="actions">
          {node.script != null && (
            <Link className="button" href={scriptAddress(node.script)}>
              <Icon name="scripts" size={16} />
              {own.some((each) => each.message.startsWith("could not read the script"))
                ? "Write the script"
                : "Open the script"}
            </Link>
          )}
          <Link
            className="button"
            href={`/suspense?${node.kind === "network-element" ? "network_element" : "node"}=${encodeURIComponent(node.name)}`}
          >
            <Icon name="suspense" size={16} />
            Its suspense
          </Link>
          {node.kind === "rating" && (
            <Link className="button" href={`/tariffs?view=counters&node=${encodeURIComponent(node.name)}`}>
              <Icon name="rating" size={16} />
              Its counters
            </Link>
          )}
          {isEdited && (
            <button
              type="button"
              className="button button-grave"
              onClick={() => onEdit({ do: "remove", name: node.name })}
            >
              <Icon name="remove" size={16} />
              Remove
            </button>
          )}
        </p>
        <p className="muted fixed">
          [{node.table}] flow file, line {node.line}
        </p>
      </div>
    </section>
  );
}

function Name({ node, onEdit }: { node: GraphNode; onEdit: (edit: Edit) => void }) {
  const [name, setName] = useState(node.name);
  useEffect(() => setName(node.name), [node.name]);
  const isOther = name.trim() !== "" && name.trim() !== node.name;
  const rename = () => isOther && onEdit({ do: "rename", name: node.name, to: name.trim() });
  return (
    <div className="field">
      <label htmlFor="node-name">Name</label>
      <div className="with-button">
        <input
          id="node-name"
          type="text"
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && rename()}
        />
        <button type="button" className="button" disabled={!isOther} onClick={rename}>
          Rename
        </button>
      </div>
    </div>
  );
}

type Counts = Partial<ElementCounts & NodeCounts & SystemCounts>;

/** The counts of each kind of node, in the order of the table. All but the first add up to "In". */
const ROWS: { of: keyof Counts; name: string; isAlways?: boolean }[] = [
  { of: "in", name: "In", isAlways: true },
  { of: "out", name: "Out", isAlways: true },
  { of: "filtered", name: "Filtered" },
  { of: "suspended", name: "Suspended" },
  { of: "held", name: "Held" },
  { of: "duplicate", name: "Duplicate" },
];

/** The counts that are not part of "In". */
const MORE: typeof ROWS = [
  { of: "made", name: "Made" },
  { of: "files", name: "Files" },
];

function Figures({ graph, node }: { graph: Graph; node: GraphNode }) {
  const now = useLive((live) => live.now);
  if (useFlowing(node.name, ofNode(node.name)) === null || now === null)
    return <p className="muted">It does not run yet: there are no figures.</p>;
  const [element, system] = [now.elements[node.name], now.systems[node.name]];
  const windows = element ?? system ?? now.nodes[node.name];
  const countsOf = (span: Span): Counts => windows?.[span] ?? {};
  const rows = [...ROWS, ...MORE].filter(
    ({ of, isAlways }) => isAlways === true || SPANS.some((span) => (countsOf(span)[of] ?? 0) > 0),
  );
  const edges = graph.nodes.flatMap((to) =>
    to.from
      .filter((from) => from.node === node.name)
      .map(({ word, stream }) => ({ word, to: to.name, of: ofEdge(node, stream, to.name) })),
  );
  const facts: [string, string][] = [];
  if (element !== undefined)
    facts.push(["Files waiting", count(element.waiting)], ["Octets today", octets(element.today.octets)]);
  if (system !== undefined) facts.push(["Deliveries waiting", count(system.waiting_deliveries)]);
  const keys = now.nodes[node.name]?.keys;
  if (keys != null) facts.push(["Keys", count(keys)]);
  return (
    <>
      <table className="node-counts figures">
        <caption className="unseen">Records of {node.name}</caption>
        <thead>
          <tr>
            <td />
            {SPANS.map((span) => (
              <th key={span} scope="col">
                {spanName[span]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Counts name="Records a second" of={(span) => perSecond(flowing(now, span, ofNode(node.name)).rate)} />
          {rows.map(({ of, name }) => (
            <Counts key={of} name={name} of={(span) => fitting(countsOf(span)[of] ?? 0)} />
          ))}
          {edges.map(({ word, to, of }) => (
            <Counts key={`${word} ${to}`} name={`→ ${to}`} of={(span) => fitting(of(now, span))} />
          ))}
        </tbody>
      </table>
      {facts.length > 0 && (
        <dl className="facts figures">
          {facts.map(([name, value]) => (
            <div key={name} className="fact">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** From this number on, the digits of three windows do not fit beside each other. */
const WHOLE_MAX = 10_000_000;

const fitting = (value: number) => (value < WHOLE_MAX ? count(value) : short(value));

function Counts({ name, of }: { name: string; of: (span: Span) => string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {SPANS.map((span) => (
        <td key={span}>{of(span)}</td>
      ))}
    </tr>
  );
}
