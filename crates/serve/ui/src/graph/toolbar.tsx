/** The toolbar of the graph page. */
import type { ReactNode } from "react";

import type { Diagnostic, Graph } from "../api/types";
import { SPANS, spanName } from "../live/figures";
import { chooseSpan, useSpan } from "../live/span";
import { useHeldFocus } from "../parts/held-focus";
import { Icon, type IconName } from "../parts/icons";
import { Breadcrumb } from "../parts/page";
import { useMay } from "../parts/session";
import { type Editing, change, current, isChanged, redo, undo } from "./editing";
import { problemsInWords } from "./problems";
import { Search } from "./search";

interface ToolbarProps {
  name: string;
  graph: Graph;
  diagnostics: Diagnostic[];
  editing: Editing | null;
  isTable: boolean;
  onFound: (name: string) => void;
  on: (what: "edit" | "stop" | "add" | "changes" | "save" | "versions" | "problems" | "table") => void;
}

export function Toolbar({ name, graph, diagnostics, editing, isTable, onFound, on }: ToolbarProps) {
  const mayChange = useMay("operator");
  const group = useHeldFocus<HTMLSpanElement>();
  const errors = diagnostics.some((each) => each.severity === "error");
  return (
    <div className="toolbar" role="toolbar" aria-label="Graph">
      <div className="toolbar-title">
        <Breadcrumb isWhole />
        <h1>
          {name}
          {editing !== null && <span className="unseen">, edited</span>}
        </h1>
      </div>
      <Search graph={graph} onFound={onFound} />
      <span className="toolbar-edit" ref={group}>
        {editing === null ? (
          mayChange && (
            <Tool icon="edit" onClick={() => on("edit")}>
              Edit
            </Tool>
          )
        ) : (
          <>
            <Tool icon="add" onClick={() => on("add")}>
              Add
            </Tool>
            <Undo editing={editing} />
            <Tool icon="compare" disabled={!isChanged(editing)} onClick={() => on("changes")}>
              Changes
            </Tool>
            <Tool icon="check" isMain disabled={!isChanged(editing)} onClick={() => on("save")}>
              Save…
            </Tool>
            <Tool icon="close" title="Stop editing" onClick={() => on("stop")}>
              Stop
            </Tool>
          </>
        )}
      </span>
      <span className="toolbar-end">
        <Spans />
        <button type="button" className={`button ${errors ? "button-grave" : ""}`} onClick={() => on("problems")}>
          <Icon name={errors ? "error" : diagnostics.length > 0 ? "warning" : "check"} size={16} />
          {problemsInWords(diagnostics)}
        </button>
        <Tool icon="versions" onClick={() => on("versions")}>
          <span className="tool-spare">Versions</span>
        </Tool>
        <Tool
          icon={isTable ? "graph" : "table"}
          title={isTable ? "As a graph" : "As a table"}
          onClick={() => on("table")}
        >
          <span className="unseen">{isTable ? "As a graph" : "As a table"}</span>
        </Tool>
      </span>
    </div>
  );
}

/** Chooses the window of the figures on nodes and edges. */
function Spans() {
  const chosen = useSpan();
  return (
    <span className="spans" role="group" aria-label="Figures of">
      {SPANS.map((span) => (
        <button
          key={span}
          type="button"
          className="button"
          aria-pressed={span === chosen}
          onClick={() => chooseSpan(span)}
        >
          {spanName[span]}
        </button>
      ))}
    </span>
  );
}

interface ToolProps {
  icon: IconName;
  isMain?: boolean;
  disabled?: boolean;
  title?: string;
  onClick: () => void;
  children: ReactNode;
}

function Tool({ icon, isMain = false, children, ...rest }: ToolProps) {
  return (
    <button type="button" className={`button ${isMain ? "button-main" : ""}`} {...rest}>
      <Icon name={icon} size={16} />
      {children}
    </button>
  );
}

function Undo({ editing }: { editing: Editing }) {
  const next = editing.steps[editing.at + 1];
  return (
    <>
      <Tool
        icon="undo"
        disabled={editing.at === 0}
        title={editing.at === 0 ? "Undo" : `Undo: takes back ${current(editing).what}`}
        onClick={() => change(undo)}
      >
        <span className="unseen">Undo</span>
      </Tool>
      <Tool
        icon="redo"
        disabled={next === undefined}
        title={next === undefined ? "Redo" : `Redo: does again ${next.what}`}
        onClick={() => change(redo)}
      >
        <span className="unseen">Redo</span>
      </Tool>
    </>
  );
}
