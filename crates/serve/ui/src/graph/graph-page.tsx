/** The graph page: the running flow with live figures, and the editor. */
import "../styles/graph.css";
import "../styles/panel.css";

import { ReactFlowProvider } from "@xyflow/react";
import { type ComponentProps, useEffect, useMemo, useRef, useState } from "react";

import { gateway } from "../api/gateway";
import type { Alarm, Diagnostic, Edit } from "../api/types";
import { useLive } from "../live/live";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { isNowhere } from "../parts/held-focus";
import { useOffer } from "../parts/actions";
import { useDeed, useLoad } from "../parts/load";
import { Waiting, useTitle } from "../parts/page";
import { useMay, useSession } from "../parts/session";
import { useWord } from "../router/router";
import { AddDialog } from "./add-dialog";
import { Canvas, type Selected } from "./canvas";
import { DiffView } from "./diff-view";
import { EditingRemarks } from "./editing-remarks";
import { begin, change, current, edit, isUnsaved, keep, redo, take, undo, useEditing } from "./editing";
import { focusNode, nextTo } from "./focus";
import { GraphTable } from "./graph-table";
import { NoNodes } from "./no-nodes";
import { NodePanel } from "./node-panel";
import { Palette } from "./palette";
import { ProblemsPanel } from "./problems-panel";
import { SaveDialog } from "./save-dialog";
import { StopDialog } from "./stop-dialog";
import { useSuspended } from "./suspended";
import { Toolbar } from "./toolbar";
import { VersionsPanel } from "./versions-panel";

type Shown = { what: "changes" | "save" | "stop" } | { what: "add"; kind: string; from: string | null } | null;

/** Constants, so that the canvas does not render again for a new empty list. */
const NO_ALARMS: Alarm[] = [];
const NO_DIAGNOSTICS: Diagnostic[] = [];

export function GraphPage() {
  const { session } = useSession();
  const mayChange = useMay("operator");
  const changes = useLive((live) => live.changes);
  const running = useLive((live) => live.graph);
  const flow = useLoad(gateway.flow, [], [changes.flow]);
  const alarms = useLoad(() => gateway.alarms(false), [], [changes.alarms]);
  const suspended = useSuspended();
  const editing = useEditing();
  const deed = useDeed();
  // The selected node is in the address, so that it can be shared as a link.
  const [named, setNamed] = useWord("node");
  const [edge, setEdge] = useState<string | null>(null);
  const selected = useMemo(
    (): Selected => (edge !== null ? { edge } : named !== "" ? { node: named } : null),
    [edge, named],
  );
  /** The node that this page itself put into the address. */
  const own = useRef(named);
  const setSelected = (next: Selected) => {
    setEdge(next !== null && "edge" in next ? next.edge : null);
    own.current = next !== null && "node" in next ? next.node : "";
    setNamed(own.current);
  };
  const [sought, setSought] = useState(named === "" ? null : { node: named });
  useEffect(() => {
    // A link to another node, as of the command palette, also moves the graph to it.
    if (named === "" || named === own.current) return;
    own.current = named;
    setEdge(null);
    setPanel(null);
    setSought({ node: named });
  }, [named]);
  const [panel, setPanel] = useState<"versions" | "problems" | null>(null);
  const [shown, setShown] = useState<Shown>(null);
  const [isTable, setTable] = useState(false);
  useTitle("Graph");

  const step = editing === null ? null : current(editing);
  const graph = step?.graph ?? running ?? flow.value?.graph ?? null;
  const diagnostics = step?.diagnostics ?? flow.value?.diagnostics ?? NO_DIAGNOSTICS;
  const raised = alarms.value?.alarms ?? NO_ALARMS;
  const known = useMemo(() => ({ diagnostics, alarms: raised, suspended }), [diagnostics, raised, suspended]);
  const kinds = flow.value?.kinds ?? [];
  const isEdited = editing !== null;

  const select = (node: string) => {
    setSelected({ node });
    setPanel(null);
  };
  const find = (node: string) => {
    select(node);
    setSought({ node });
  };
  const chosen =
    selected !== null && "node" in selected ? graph?.nodes.find((each) => each.name === selected.node) : undefined;

  useEffect(() => {
    if (!isEdited) return;
    const keys = (event: KeyboardEvent) => {
      const isInField = (event.target as HTMLElement).closest("input, textarea, select, dialog") !== null;
      const key = event.key.toLowerCase();
      if (isInField || !(event.ctrlKey || event.metaKey) || (key !== "z" && key !== "y")) return;
      event.preventDefault();
      change(event.shiftKey || key === "y" ? redo : undo);
    };
    document.addEventListener("keydown", keys);
    return () => document.removeEventListener("keydown", keys);
  }, [isEdited]);

  useOffer([
    ...(mayChange && !isEdited && flow.value !== null ? [{ name: "Edit the flow", run: () => on("edit") }] : []),
    { name: "Versions of the flow", run: () => on("versions") },
    { name: "Mistakes of the flow", run: () => on("problems") },
    { name: isTable ? "Show as a graph" : "Show as a table", run: () => on("table") },
  ]);

  if (graph === null)
    return flow.problem === null ? <Waiting /> : <Failure problem={flow.problem} again={flow.again} />;

  const startEditing = () => flow.value !== null && keep(begin(flow.value));
  const add = (kind: string, from: string | null = null) => setShown({ what: "add", kind, from });
  const on = (what: Parameters<ComponentProps<typeof Toolbar>["on"]>[0]) => {
    if (what === "edit") startEditing();
    else if (what === "table") setTable(!isTable);
    else if (what === "versions" || what === "problems") setPanel(panel === what ? null : what);
    else if (what === "add") add(kinds[0]?.kind ?? "network-element");
    else if (what === "stop" && editing !== null && !isUnsaved(editing)) keep(null);
    else setShown({ what });
  };
  const editVersion = async (version: number) => {
    const { text } = await gateway.version(version);
    if (editing === null) startEditing();
    await take(text, `taking version ${version}`);
    setPanel(null);
  };
  const edited = (each: Edit) => {
    if (each.do === "remove") setSelected(null);
    if (each.do === "disconnect") setSelected(selected !== null && "edge" in selected ? null : selected);
    const next = nextTo(graph, each);
    void deed.run(async () => {
      await edit([each]);
      if (each.do === "rename") setSelected({ node: each.to });
      // After rendering, because the removed element has lost the focus by then.
      if (next !== null) requestAnimationFrame(() => isNowhere(document.activeElement) && focusNode(next));
    });
  };
  const closeShown = () => setShown(null);

  return (
    <div className={`graph-page ${isEdited ? "graph-edited" : ""}`}>
      <Toolbar
        name={flow.value?.name ?? session.flow}
        graph={graph}
        diagnostics={diagnostics}
        editing={editing}
        isTable={isTable}
        onFound={find}
        on={on}
      />
      {editing !== null && !isTable && <Palette kinds={kinds} onAdd={add} />}
      <div className="graph-remarks">
        {flow.problem !== null && <Failure problem={flow.problem} again={flow.again} />}
        {deed.problem !== null && <Failure problem={deed.problem} again={deed.forget} />}
        {editing !== null && <EditingRemarks editing={editing} file={flow.value} />}
      </div>
      <div className="graph-body">
        {graph.nodes.length === 0 && (
          <NoNodes mayChange={mayChange} isEdited={isEdited} onEdit={startEditing} onAdd={() => on("add")} />
        )}
        {isTable ? (
          <GraphTable graph={graph} shown={known} onSelect={select} />
        ) : (
          <ReactFlowProvider>
            <Canvas
              graph={graph}
              shown={known}
              isEdited={isEdited}
              selected={selected}
              sought={sought}
              onSelect={(next) => {
                setSelected(next);
                if (next !== null) setPanel(null);
              }}
              onEdit={edited}
              onDropped={add}
            />
          </ReactFlowProvider>
        )}
        {panel === "versions" && <VersionsPanel onClose={() => setPanel(null)} onEdit={editVersion} />}
        {panel === "problems" && (
          <ProblemsPanel
            diagnostics={diagnostics}
            leftOut={(step ?? flow.value)?.diagnostics_left_out ?? 0}
            graph={graph}
            onSelect={find}
            onClose={() => setPanel(null)}
          />
        )}
        {panel === null && chosen !== undefined && (
          <NodePanel
            graph={graph}
            node={chosen}
            kind={kinds.find((each) => each.kind === chosen.kind)}
            diagnostics={diagnostics}
            alarms={raised}
            isEdited={isEdited}
            onEdit={edited}
            onSelect={find}
            onClose={() => setSelected(null)}
          />
        )}
      </div>
      {shown?.what === "add" && (
        <AddDialog
          graph={graph}
          kinds={kinds}
          kind={shown.kind}
          from={shown.from}
          onClose={closeShown}
          onAdd={async (each) => {
            await edit([each]);
            closeShown();
            if (each.do === "add") select(each.name);
          }}
        />
      )}
      {shown?.what === "changes" && editing !== null && (
        <Dialog title="What changes in the flow file" width="wide" onClose={closeShown}>
          <DiffView before={editing.base.text} after={current(editing).text} names={["The flow file", "As edited"]} />
        </Dialog>
      )}
      {shown?.what === "save" && editing !== null && <SaveDialog editing={editing} onClose={closeShown} />}
      {shown?.what === "stop" && <StopDialog onClose={closeShown} />}
    </div>
  );
}
