/** A node on the canvas: its kind and name, its figures and its problems. */
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";

import { ofNode, troubleOf } from "../live/figures";
import { useFlowing, useLive } from "../live/live";
import { Icon, KindIcon } from "../parts/icons";
import { count, counted, perSecond, short } from "../parts/numbers";
import { type CardNode, UNNAMED, kindName, takesRecords } from "./shown";

export const NodeCard = memo(function NodeCard({ data, selected }: NodeProps<CardNode>) {
  const { node, direction, handles, isEdited } = data;
  const [into, out] = direction === "right" ? [Position.Left, Position.Right] : [Position.Top, Position.Bottom];
  return (
    <div className={`node node-${node.kind} ${selected ? "node-selected" : ""} ${isEdited ? "node-edited" : ""}`}>
      {takesRecords(node.kind) && <Handle type="target" position={into} isConnectable={isEdited} />}
      <span className="node-icon">
        <KindIcon kind={node.kind} size={20} />
      </span>
      <span className="node-words">
        <span className="node-name" title={node.name}>
          <NodeName name={node.name} />
        </span>
        <span className="node-kind">{kindName(node.kind)}</span>
        <NodeFigures card={data} />
      </span>
      <Signs card={data} />
      {handles.map((handle, place) => (
        <Handle
          key={handle}
          id={handle}
          type="source"
          position={out}
          isConnectable={isEdited}
          title={handle === UNNAMED ? undefined : handle}
          style={{ [direction === "right" ? "top" : "left"]: `${((place + 1) / (handles.length + 1)) * 100}%` }}
        >
          {handle !== UNNAMED && <span className="handle-name">{handle}</span>}
        </Handle>
      ))}
    </div>
  );
});

/** The last letters of a name are always visible, because similar names often differ there. */
const END_LETTERS = 7;

/** Shows a name. A long one is shortened in the middle. */
function NodeName({ name }: { name: string }) {
  const letters = [...name];
  if (letters.length <= 2 * END_LETTERS) return <span>{name}</span>;
  return (
    <>
      <span>{letters.slice(0, -END_LETTERS).join("")}</span>
      <span className="node-name-end">{letters.slice(-END_LETTERS).join("")}</span>
    </>
  );
}

function NodeFigures({ card: { node } }: { card: CardNode["data"] }) {
  const figures = useFlowing(node.name, ofNode(node.name));
  if (figures === null) return <span className="node-figures muted">does not run yet</span>;
  return (
    <span className="node-figures figures" title={figures.words}>
      {perSecond(figures.rate)} <span className="muted">{short(figures.records)}</span>
    </span>
  );
}

/** Shows the signs of a node. Waiting files have one, which becomes a warning when their number grows. */
function Signs({ card: { node, diagnostics, alarms, suspended } }: { card: CardNode["data"] }) {
  const now = useLive((live) => live.now);
  const earlier = useLive((live) => live.earlier);
  const trouble = troubleOf(node, earlier, now);
  const errors = diagnostics.filter((each) => each.severity === "error").length;
  const warnings = diagnostics.length - errors;
  const grave = alarms.filter((alarm) => alarm.severity === "critical" || alarm.severity === "major").length;
  return (
    <span className="node-signs">
      {trouble.waiting > 0 && (
        <Sign
          state={trouble.isGrowing ? "major" : "quiet"}
          text={`${counted(trouble.waiting, "file")} waiting${trouble.isGrowing ? ", and more each second" : ""}`}
        >
          <Icon name="files" size={12} />
          {short(trouble.waiting)}
          {trouble.isGrowing && "↑"}
        </Sign>
      )}
      {suspended > 0 && (
        <Sign state="minor" text={`${counted(suspended, "record")} in suspense`}>
          <Icon name="suspense" size={12} />
          {short(suspended)}
        </Sign>
      )}
      {alarms.length > 0 && (
        <Sign state={grave > 0 ? "critical" : "minor"} text={counted(alarms.length, "alarm")}>
          <Icon name="alarms" size={12} />
          {count(alarms.length)}
        </Sign>
      )}
      {errors > 0 && (
        <Sign state="critical" text={counted(errors, "mistake")}>
          <Icon name="error" size={12} />
          {errors}
        </Sign>
      )}
      {warnings > 0 && (
        <Sign state="warning" text={counted(warnings, "warning")}>
          <Icon name="warning" size={12} />
          {warnings}
        </Sign>
      )}
    </span>
  );
}

function Sign({ state, text, children }: { state: string; text: string; children: React.ReactNode }) {
  return (
    <span className={`sign sign-${state}`} title={text}>
      <span className="unseen">{text}</span>
      <span aria-hidden="true">{children}</span>
    </span>
  );
}
