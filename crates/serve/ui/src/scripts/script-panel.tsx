/** One script: its text, what is wrong with it, and making it the one that runs. */
import { Suspense, lazy, useEffect, useState } from "react";

import { gateway } from "../api/gateway";
import type { Diagnostic, ScriptText } from "../api/types";
import { current, lookAgain, useEditing } from "../graph/editing";
import { SaveFileDialog } from "../graph/save-file-dialog";
import { Catch } from "../parts/catch";
import { Failure } from "../parts/failure";
import { useDeed, useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { Await, Waiting } from "../parts/page";
import { useMay } from "../parts/session";
import { replayAddress } from "../replay/address";
import { Link, useAddress } from "../router/router";
import { beginning } from "./beginning";
import { draftOf, hasDrafts, keepDraft } from "./drafts";
import { ScriptProblems } from "./script-problems";
import { ScriptSamples } from "./script-samples";
import { ScriptTests } from "./script-tests";

const Editor = lazy(async () => ({ default: (await import("./editor")).Editor }));

/** So long nobody must have written anything before the script is checked. */
const QUIET_MS = 350;

interface PanelProps {
  file: string;
  /** Who runs it. */
  nodes: string[];
  /** Of the script as it is now: another than that of the text says that somebody else saved it. */
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
  // A node that is to come names it: it is begun here, before that node runs.
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

/** The place that an address names, where it does: `?line=5&column=3`. */
function placeOf(query: URLSearchParams): { line: number; column: number } | null {
  const [line, column] = [Number(query.get("line")), Number(query.get("column") ?? 1)];
  return Number.isInteger(line) && line > 0 ? { line, column } : null;
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
  const [text, setText] = useState(() => draftOf(file)?.text ?? script.text);
  const [diagnostics, setDiagnostics] = useState<Diagnostic[]>([]);
  const { query } = useAddress();
  const [sought, setSought] = useState(() => placeOf(query));
  const [isSaving, setSaving] = useState(false);
  const isNew = script.digest === "";
  const isChanged = text !== script.text || isNew;
  const deed = useDeed();
  const basedOn = draftOf(file)?.basedOn ?? script.digest;
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      gateway.lookAtScript(file, text).then(
        (looked) => isCurrent && setDiagnostics(looked.diagnostics),
        // The check comes with the next letter, or with saving.
        () => undefined,
      );
    }, QUIET_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [file, text]);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (hasDrafts()) event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
  const change = (next: string) => {
    setText(next);
    keepDraft(file, next === script.text ? null : { text: next, basedOn });
  };
  const runs = nodes.length > 0;
  const begin = () =>
    deed.run(async () => {
      await gateway.beginScript(file, text, isNew ? null : basedOn);
      keepDraft(file, null);
      say(`${file} is kept.`);
      onSaved();
      await lookAgain();
    });
  const giveUp = () => {
    keepDraft(file, null);
    setText(script.text);
    again();
  };
  return (
    <section className="section script" aria-label={`Script ${file}`}>
      <div className="section-head">
        <h2 className="fixed">{file}</h2>
        {mayChange && (
          <span className="actions">
            <button type="button" className="button" disabled={text === script.text} onClick={giveUp}>
              Give up the changes
            </button>
            {runs && isChanged && (
              <Link className="button" href={replayAddress({ draft: file })}>
                Try on yesterday’s files
              </Link>
            )}
            {runs ? (
              <button
                type="button"
                className="button button-main"
                disabled={!isChanged}
                onClick={() => setSaving(true)}
              >
                Save and activate…
              </button>
            ) : (
              <button type="button" className="button button-main" disabled={!isChanged || deed.isBusy} onClick={begin}>
                Keep the script
              </button>
            )}
          </span>
        )}
      </div>
      {deed.problem !== null && <Failure problem={deed.problem} />}
      {!runs && (
        <p className="muted">
          {isNew ? "There is no such file yet. " : ""}No node of the flow that runs has this script: keep it, and save
          the flow with its node on the page <Link href="/graph">Graph</Link>.
        </p>
      )}
      {(isOld || basedOn !== script.digest) && (
        <div className="remark" role="status">
          <div>
            <p>The script was changed by somebody else since you opened it.</p>
            <button type="button" className="button" onClick={giveUp}>
              Show it as it is now
            </button>
          </div>
        </div>
      )}
      <Catch>
        <Suspense fallback={<Waiting />}>
          <Editor
            label={`Text of ${file}`}
            script={file}
            text={text}
            diagnostics={diagnostics}
            sought={sought}
            isReadOnly={!mayChange}
            onChange={change}
          />
        </Suspense>
      </Catch>
      <ScriptProblems diagnostics={diagnostics} onSought={setSought} />
      {mayChange && <ScriptTests file={file} text={text} onSought={setSought} />}
      {mayChange && runs && <ScriptSamples file={file} nodes={nodes} text={text} />}
      {isSaving && (
        <SaveFileDialog
          file={file}
          before={script.text}
          after={text}
          names={["The script now", "As edited"]}
          save={(remark) => gateway.saveScript(file, text, basedOn, remark)}
          onClose={() => setSaving(false)}
          onSaved={() => {
            setSaving(false);
            keepDraft(file, null);
            onSaved();
          }}
        />
      )}
    </section>
  );
}
