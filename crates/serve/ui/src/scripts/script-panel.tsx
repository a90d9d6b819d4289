/** A script: its text, its mistakes, and its activation. */
import { gateway } from "../api/gateway";
import type { ScriptText } from "../api/types";
import { current, lookAgain, useEditing } from "../graph/editing";
import { Failure } from "../parts/failure";
import { useDeed, useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { Await } from "../parts/page";
import { useMay } from "../parts/session";
import { Link } from "../router/router";
import { beginning } from "./beginning";
import { ScriptProblems } from "./script-problems";
import { ScriptSamples } from "./script-samples";
import { ScriptTests } from "./script-tests";
import { useSource } from "./source";
import { SourceSection } from "./source-section";

interface PanelProps {
  file: string;
  /** The nodes that run it. */
  nodes: string[];
  /** The digest of the current script. If it differs from that of the text, another user saved the script. */
  digest: string | null;
  onSaved: () => void;
}

export function ScriptPanel({ file, nodes, digest, onSaved }: PanelProps) {
  const loaded = useLoad(() => gateway.script(file), [file]);
  const saved = () => {
    loaded.again();
    onSaved();
  };
  const editing = useEditing();
  const mayChange = useMay("operator");
  // A node that is being added names a script that does not exist yet: the script can be written first.
  if (loaded.value === null && loaded.problem?.status === 404 && mayChange && file.endsWith(".dup")) {
    const text = beginning(editing === null ? null : current(editing).graph, file);
    return (
      <Written
        key="new"
        script={{ file, text, digest: "" }}
        nodes={nodes}
        isOld={false}
        onSaved={saved}
        again={() => undefined}
      />
    );
  }
  return (
    <Await loaded={loaded}>
      {(script) => (
        <Written
          key={script.digest}
          script={script}
          nodes={nodes}
          isOld={digest !== null && digest !== script.digest}
          onSaved={saved}
          again={loaded.again}
        />
      )}
    </Await>
  );
}

interface WrittenProps {
  script: ScriptText;
  nodes: string[];
  isOld: boolean;
  onSaved: () => void;
  again: () => void;
}

function Written({ script, nodes, isOld, onSaved, again }: WrittenProps) {
  const { file } = script;
  const mayChange = useMay("operator");
  const source = useSource(script, gateway.lookAtScript, again);
  const isNew = script.digest === "";
  const runs = nodes.length > 0;
  const deed = useDeed();
  const begin = () =>
    deed.run(async () => {
      await gateway.beginScript(file, source.text, isNew ? undefined : source.basedOn);
      source.forget();
      say(`${file} is kept.`);
      onSaved();
      await lookAgain();
    });
  const remark = (
    <>
      {deed.problem !== null && <Failure problem={deed.problem} />}
      {!runs && (
        <p className="muted">
          {isNew ? "There is no such file yet. " : ""}No node of the flow that runs has this script: keep it, and save
          the flow with its node on the page <Link href="/graph">Graph</Link>.
        </p>
      )}
    </>
  );
  return (
    <SourceSection
      kind="script"
      source={source}
      diagnostics={source.diagnostics}
      isOld={isOld}
      save={(text, basedOn, remark) => gateway.saveScript(file, text, basedOn, remark)}
      onSaved={onSaved}
      keep={runs ? undefined : { word: "Keep the script", isBusy: deed.isBusy, deed: begin }}
      remark={remark}
    >
      <ScriptProblems diagnostics={source.diagnostics} leftOut={source.leftOut} onSought={source.seek} />
      {mayChange && <ScriptTests file={file} text={source.text} onSought={source.seek} />}
      {mayChange && runs && <ScriptSamples file={file} nodes={nodes} text={source.text} />}
    </SourceSection>
  );
}
