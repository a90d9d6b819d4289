/** The files of a version of a plan, and the editor that makes the next version of a copy. */
import { Suspense, lazy, useEffect, useState } from "react";

import { gateway } from "../api/gateway";
import type { Diagnostic, TariffDraft } from "../api/types";
import { Catch } from "../parts/catch";
import { Failure } from "../parts/failure";
import { SelectField } from "../parts/field";
import { useLoad } from "../parts/load";
import { Waiting } from "../parts/page";
import { useMay } from "../parts/session";
import { go } from "../router/router";
import { ScriptProblems } from "../scripts/script-problems";
import { CallForm } from "./call-form";
import { type Change, type Changes, changedBy, copyOf, keepCopy } from "./copies";
import { LoadDialog } from "./load-dialog";

const Editor = lazy(async () => ({ default: (await import("../scripts/editor")).Editor }));

/** The pause in typing after which the plan is checked. */
const QUIET_MS = 350;

/** The table that users look at most often. */
const FIRST = "prices.csv";

interface FilesProps {
  plan: string;
  /** The version of the files, or their texts for a first version. */
  of: number | Record<string, string>;
  files: string[];
  /** The name under which the edits are kept. */
  copy: string;
  /** Whether loading is blocked for a reason other than mistakes. */
  isHeld?: boolean;
  onLoaded: () => void;
  /** Called with whether there are edits that would be lost. */
  onEdited?: (isEdited: boolean) => void;
}

export function VersionFiles({ plan, of, files, copy, isHeld = false, onLoaded, onEdited }: FilesProps) {
  const mayChange = useMay("operator");
  const isFirst = typeof of !== "number";
  const [file, setFile] = useState(() => (files.includes(FIRST) ? FIRST : (files[0] ?? "")));
  const [changed, setChanged] = useState(() => copyOf(copy));
  const [isEditing, setEditing] = useState(isFirst || Object.keys(changed).length > 0);
  const [sought, setSought] = useState<{ line: number; column: number } | null>(null);
  const [isLoading, setLoading] = useState(false);
  const changes = Object.values(changed);
  const draft: TariffDraft = {
    based_on: isFirst ? null : of,
    files: { ...(isFirst ? of : {}), ...Object.fromEntries(changes.map((each) => [each.file, each.after])) },
  };
  const diagnostics = useCheck(plan, draft, isEditing);
  const isWritten = changes.length > 0;
  useEffect(() => {
    onEdited?.(isWritten);
    return () => onEdited?.(false);
  }, [isWritten, onEdited]);
  const mistakes = diagnostics.filter((each) => each.severity === "error").length;
  const write = (changes: Changes) => {
    keepCopy(copy, changes);
    setChanged(changes);
  };
  const leave = () => {
    write({});
    setEditing(isFirst);
  };
  return (
    <>
      <div className="samples-asked">
        <SelectField
          label="File"
          value={file}
          onValue={(next) => {
            setSought(null);
            setFile(next);
          }}
        >
          {files.map((each) => (
            <option key={each} value={each}>
              {each}
              {changes.some((change) => change.file === each) ? " (changed)" : ""}
            </option>
          ))}
        </SelectField>
        {mayChange && (
          <span className="actions">
            {isEditing ? (
              <>
                {!isFirst && (
                  <button type="button" className="button" onClick={leave}>
                    Give up the copy
                  </button>
                )}
                <button
                  type="button"
                  className="button button-main"
                  disabled={mistakes > 0 || isHeld}
                  onClick={() => setLoading(true)}
                >
                  {isFirst ? "Load as the first version…" : "Load as a version…"}
                </button>
              </>
            ) : (
              <button type="button" className="button button-main" onClick={() => setEditing(true)}>
                Edit a copy
              </button>
            )}
          </span>
        )}
      </div>
      <Text
        key={file}
        plan={plan}
        of={of}
        file={file}
        kept={changed[file]}
        diagnostics={diagnostics.filter((each) => each.file === file)}
        sought={sought}
        isReadOnly={!isEditing}
        onChange={(change) => write(changedBy(changed, change))}
      />
      {isEditing && (
        <>
          <ScriptProblems
            label="Check of the plan"
            diagnostics={diagnostics.filter((each) => each.file === file)}
            onSought={setSought}
          />
          <Elsewhere diagnostics={diagnostics.filter((each) => each.file !== file)} onFile={setFile} />
        </>
      )}
      <h3>{isEditing ? "Try a call on the copy" : "Try a call on this version"}</h3>
      <CallForm plan={plan} hasTables={false} draft={draft} />
      {isLoading && (
        <LoadDialog
          plan={plan}
          draft={draft}
          changes={changes}
          onClose={() => setLoading(false)}
          onLoaded={() => {
            leave();
            setLoading(false);
            onLoaded();
            go("/tariffs");
          }}
        />
      )}
    </>
  );
}

/** Checks the files as they are edited. */
function useCheck(plan: string, draft: TariffDraft, isEditing: boolean): Diagnostic[] {
  const [diagnostics, setDiagnostics] = useState<Diagnostic[]>([]);
  const asked = JSON.stringify(draft);
  useEffect(() => {
    let isCurrent = true;
    if (!isEditing) setDiagnostics([]);
    const timer = setTimeout(() => {
      if (!isEditing) return;
      gateway.checkTariff(plan, JSON.parse(asked) as TariffDraft).then(
        (checked) => isCurrent && setDiagnostics(checked.diagnostics),
        // If a check fails, the next one follows the next change, or the load.
        () => undefined,
      );
    }, QUIET_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [plan, asked, isEditing]);
  return diagnostics;
}

function Elsewhere({ diagnostics, onFile }: { diagnostics: Diagnostic[]; onFile: (file: string) => void }) {
  return diagnostics.map((each, place) => (
    <div key={place} className="remark">
      <div>
        <pre className="fixed break">{each.text}</pre>
        <button type="button" className="button" onClick={() => onFile(each.file)}>
          To {each.file}
        </button>
      </div>
    </div>
  ));
}

interface TextProps {
  plan: string;
  of: number | Record<string, string>;
  file: string;
  /** The earlier edit of the file. */
  kept: Change | undefined;
  diagnostics: Diagnostic[];
  sought: { line: number; column: number } | null;
  isReadOnly: boolean;
  onChange: (change: Change) => void;
}

function Text({ plan, of, file, kept, diagnostics, sought, isReadOnly, onChange }: TextProps) {
  const loaded = useLoad(
    async () => (typeof of === "number" ? (await gateway.tariffFile(plan, of, file)).text : (of[file] ?? "")),
    [plan, of, file],
  );
  if (loaded.problem !== null) return <Failure problem={loaded.problem} again={loaded.again} />;
  const before = loaded.value;
  if (before === null) return <Waiting />;
  return (
    <Catch>
      <Suspense fallback={<Waiting />}>
        <Editor
          label={`Text of ${file}`}
          script={null}
          text={kept?.after ?? before}
          diagnostics={diagnostics}
          sought={sought}
          isReadOnly={isReadOnly}
          onChange={(after) => onChange({ file, before, after })}
        />
      </Suspense>
    </Catch>
  );
}
