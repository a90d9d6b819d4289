/** The panel of a node: its figures, problems and settings. */
import { useEffect, useState } from "react";

import type { Alarm, Diagnostic, Edit, Graph, GraphNode, Kind } from "../api/types";
import { flowing, ofNode, ofStream } from "../live/figures";
import { useFlowing, useLive } from "../live/live";
import { Icon, KindIcon } from "../parts/icons";
import { count, octets, perSecond } from "../parts/numbers";
import { Link } from "../router/router";
import { scriptAddress } from "../scripts/address";
import { Gathering } from "./gathering";
import { Problems } from "./problems";
import { SettingsForm } from "./settings-form";
import { kindName, outputs, takesRecords, UNNAMED } from "./shown";
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
        <Figures node={node} />
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

function Figures({ node }: { node: GraphNode }) {
  const now = useLive((live) => live.now);
  const before = useLive((live) => live.before);
  const all = useFlowing(node.name, ofNode(node.name));
  if (now === null || all === null) return <p className="muted">It does not run yet: there are no figures.</p>;
  const element = now.elements[node.name];
  const system = now.systems[node.name];
  const outcomes = element?.outcomes ?? now.nodes[node.name]?.outcomes ?? {};
  const lines: [string, string][] = [
    ["Records a second", perSecond(all.rate)],
    ["Records", count(all.total)],
    ...outputs(node)
      .filter((stream) => stream !== UNNAMED)
      .map((stream): [string, string] => [
        `… ${stream}`,
        count(flowing(before, now, ofStream(node, stream))?.total ?? 0),
      ]),
    ...Object.entries(outcomes)
      .filter(([, many]) => many > 0)
      .map(([outcome, many]): [string, string] => [`… ${outcome}`, count(many)]),
  ];
  if (element !== undefined)
    lines.push(
      ["Files", count(element.files)],
      ["Files waiting", count(element.waiting)],
      ["Octets", octets(element.octets)],
    );
  if (system !== undefined)
    lines.push(["Files", count(system.files)], ["Deliveries waiting", count(system.waiting_deliveries)]);
  return (
    <dl className="facts figures">
      {lines.map(([name, value]) => (
        <div key={name} className="fact">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
