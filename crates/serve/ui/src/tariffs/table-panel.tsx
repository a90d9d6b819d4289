/** One table of a plan: its text, what is wrong with the plan by it, and making it the one that is rated by. */
import { Suspense, lazy, useEffect, useState } from "react";

import { gateway } from "../api/gateway";
import type { Diagnostic, TariffText } from "../api/types";
import { SaveFileDialog } from "../graph/save-file-dialog";
import { Catch } from "../parts/catch";
import { useLoad } from "../parts/load";
import { Await, Waiting } from "../parts/page";
import { useMay } from "../parts/session";
import { replayAddress } from "../replay/address";
import { Link, useAddress } from "../router/router";
import { draftOf, hasDrafts, keepDraft } from "../scripts/drafts";
import { ScriptProblems } from "../scripts/script-problems";

const Editor = lazy(async () => ({ default: (await import("../scripts/editor")).Editor }));

/** So long nobody must have written anything before the plan is checked. */
const QUIET_MS = 350;

interface PanelProps {
  file: string;
  /** Of the table as it is now. */
  digest: string | null;
  onSaved: () => void;
}

export function TablePanel({ file, digest, onSaved }: PanelProps) {
  const loaded = useLoad(() => gateway.tariffTable(file), [file]);
  const saved = () => {
    loaded.again();
    onSaved();
  };
  return (
    <Await loaded={loaded}>
      {(table) => (
        <Written
          key={table.digest}
          table={table}
          isOld={digest !== null && digest !== table.digest}
          onSaved={saved}
          again={loaded.again}
        />
      )}
    </Await>
  );
}

interface WrittenProps {
  table: TariffText;
  isOld: boolean;
  onSaved: () => void;
  again: () => void;
}

function Written({ table, isOld, onSaved, again }: WrittenProps) {
  const { file } = table;
  const mayChange = useMay("operator");
  const [text, setText] = useState(() => draftOf(file)?.text ?? table.text);
  const [diagnostics, setDiagnostics] = useState<Diagnostic[]>([]);
  const { query } = useAddress();
  const line = Number(query.get("line"));
  const [sought, setSought] = useState(() => (line > 0 ? { line, column: 1 } : null));
  const [isSaving, setSaving] = useState(false);
  const isChanged = text !== table.text;
  const basedOn = draftOf(file)?.basedOn ?? table.digest;
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      gateway.lookAtTable(file, text).then(
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
    keepDraft(file, next === table.text ? null : { text: next, basedOn });
  };
  const giveUp = () => {
    keepDraft(file, null);
    setText(table.text);
    again();
  };
  const here = diagnostics.filter((each) => each.file.endsWith(file));
  const elsewhere = diagnostics.filter((each) => !each.file.endsWith(file));
  return (
    <section className="section script" aria-label={`Table ${file}`}>
      <div className="section-head">
        <h2 className="fixed">{file}</h2>
        {mayChange && (
          <span className="actions">
            <button type="button" className="button" disabled={!isChanged} onClick={giveUp}>
              Give up the changes
            </button>
            {isChanged && (
              <Link className="button" href={replayAddress({ draft: file })}>
                Try on yesterday’s files
              </Link>
            )}
            <button type="button" className="button button-main" disabled={!isChanged} onClick={() => setSaving(true)}>
              Save and activate…
            </button>
          </span>
        )}
      </div>
      {(isOld || basedOn !== table.digest) && (
        <div className="remark" role="status">
          <div>
            <p>The table was changed by somebody else since you opened it.</p>
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
            script={null}
            text={text}
            diagnostics={here}
            sought={sought}
            isReadOnly={!mayChange}
            onChange={change}
          />
        </Suspense>
      </Catch>
      <ScriptProblems label="Check of the plan" diagnostics={here} onSought={setSought} />
      {elsewhere.map((each, place) => (
        <pre key={place} className="remark fixed break">
          {each.text}
        </pre>
      ))}
      {isSaving && (
        <SaveFileDialog
          file={file}
          before={table.text}
          after={text}
          names={["The table now", "As edited"]}
          save={(remark) => gateway.saveTable(file, text, basedOn, remark)}
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
