/** The scripts of the flow, and one of them in an editor. */
import "../styles/scripts.css";

import { gateway } from "../api/gateway";
import type { Script } from "../api/types";
import { type Editing, current, useEditing } from "../graph/editing";
import { useLive } from "../live/live";
import { Icon } from "../parts/icons";
import { useLoad } from "../parts/load";
import { Await, Empty, Page } from "../parts/page";
import { Link, useAddress } from "../router/router";
import { scriptAddress } from "./address";
import { ScriptPanel } from "./script-panel";

export function ScriptsPage() {
  // A query parameter, not a path: a server takes a path that ends with an extension for a file.
  const { query } = useAddress();
  const file = query.get("file");
  const changes = useLive((live) => live.changes);
  const editing = useEditing();
  const loaded = useLoad(gateway.scripts, [], [changes.flow]);
  return (
    <Page title="Scripts" lead="What filters, formatters and other nodes do with each record.">
      <Await loaded={loaded}>
        {({ scripts: running }) => {
          const scripts = [...running, ...coming(editing, running)];
          return scripts.length === 0 && file === null ? (
            <Empty icon="scripts" title="The flow has no scripts">
              <p>A filter or formatter has one. Add such a node to the graph, and name its script in its settings.</p>
              <Link className="button" href="/graph">
                To the graph
              </Link>
            </Empty>
          ) : (
            <div className="scripts">
              <ScriptList scripts={scripts} file={file} />
              {file === null ? (
                <Empty icon="scripts" title="Choose a script">
                  <p>It is checked while you write, and runs when you activate it; the flow does not stop for that.</p>
                </Empty>
              ) : (
                <ScriptPanel
                  key={file}
                  file={file}
                  nodes={running.find((script) => script.file === file)?.nodes ?? []}
                  digest={running.find((script) => script.file === file)?.digest ?? null}
                  onSaved={loaded.again}
                />
              )}
            </div>
          );
        }}
      </Await>
    </Page>
  );
}

/** Returns the scripts that nodes in the editor name and that do not run yet. */
function coming(editing: Editing | null, running: Script[]): Script[] {
  const nodes = editing === null ? [] : current(editing).graph.nodes;
  const files = new Set(nodes.flatMap(({ script }) => (script == null ? [] : [script])));
  return [...files]
    .filter((file) => running.every((script) => script.file !== file))
    .map((file) => ({ file, nodes: nodes.filter(({ script }) => script === file).map(named), digest: "" }));
}

const named = ({ name }: { name: string }) => `${name}, does not run yet`;

function ScriptList({ scripts, file }: { scripts: Script[]; file: string | null }) {
  return (
    <nav aria-label="Scripts">
      <ul className="script-list">
        {scripts.map((script) => (
          <li key={script.file}>
            <Link href={scriptAddress(script.file)} aria-current={script.file === file ? "page" : undefined}>
              <Icon name="scripts" size={16} />
              <span>
                <span className="fixed">{script.file}</span>
                <span className="below muted">{script.nodes.join(", ")}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
