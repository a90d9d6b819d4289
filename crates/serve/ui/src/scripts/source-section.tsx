/** The text of a script, table or rule, with the button that activates or proposes it. */
import { type ReactNode, Suspense, lazy, useState } from "react";

import type { Activation, Diagnostic } from "../api/types";
import { SaveFileDialog } from "../graph/save-file-dialog";
import { useNeedsSecondPerson } from "../graph/second-person";
import { Catch } from "../parts/catch";
import { Waiting } from "../parts/page";
import { useMay } from "../parts/session";
import { replayAddress } from "../replay/address";
import { Link } from "../router/router";
import { ModuleSection, type ModuleShown } from "./module-section";
import type { Source } from "./source";

const Editor = lazy(async () => ({ default: (await import("./editor")).Editor }));

const NAMES = { script: "Script", table: "Table", rule: "Rule" };

interface SectionProps {
  kind: keyof typeof NAMES;
  source: Source;
  /** The diagnostics to show in the text. */
  diagnostics: Diagnostic[];
  /** Whether the saved text changed meanwhile. */
  isOld: boolean;
  save: (text: string, basedOn: string, remark: string) => Promise<Activation>;
  onSaved: (activation: Activation) => void;
  /** How to keep a text that nothing runs yet, which can be neither activated nor tried. */
  keep?: { word: string; isBusy: boolean; deed: () => void } | undefined;
  /** A remark above the text. */
  remark?: ReactNode;
  /** The content below the text. */
  children: ReactNode;
}

export function SourceSection(props: SectionProps) {
  const { kind, source, diagnostics, isOld, save, onSaved, keep, remark, children } = props;
  const { file, digest } = source.saved;
  const mayChange = useMay("operator");
  const isProposal = useNeedsSecondPerson(mayChange && keep === undefined);
  const [isSaving, setSaving] = useState(false);
  const [module, setModule] = useState<ModuleShown | null>(null);
  const isChanged = source.isWritten || digest === "";
  return (
    <section className="section script" aria-label={`${NAMES[kind]} ${file}`}>
      <div className="section-head">
        <h2 className="fixed">{file}</h2>
        {mayChange && (
          <span className="actions">
            <button type="button" className="button" disabled={!source.isWritten} onClick={source.giveUp}>
              Give up the changes
            </button>
            {keep === undefined && isChanged && (
              <Link className="button" href={replayAddress({ draft: file })}>
                Try on yesterday’s files
              </Link>
            )}
            <button
              type="button"
              className="button button-main"
              disabled={!isChanged || keep?.isBusy === true}
              onClick={keep?.deed ?? (() => setSaving(true))}
            >
              {keep?.word ?? (isProposal ? "Propose…" : "Save and activate…")}
            </button>
          </span>
        )}
      </div>
      {remark}
      {(isOld || source.basedOn !== digest) && (
        <div className="remark" role="status">
          <div>
            <p>The {kind} was changed by another user since you opened it.</p>
            <button type="button" className="button" onClick={source.giveUp}>
              Show it as it is now
            </button>
          </div>
        </div>
      )}
      <Catch>
        <Suspense fallback={<Waiting />}>
          <Editor
            label={`Text of ${file}`}
            script={kind === "script" ? file : null}
            text={source.text}
            diagnostics={diagnostics}
            sought={source.sought}
            isReadOnly={!mayChange}
            onChange={source.write}
            onModule={(file) => new Promise((isShown) => setModule({ file, isShown }))}
          />
        </Suspense>
      </Catch>
      {module !== null && <ModuleSection key={module.file} module={module} onClose={() => setModule(null)} />}
      {children}
      {isSaving && (
        <SaveFileDialog
          file={file}
          before={source.saved.text}
          after={source.text}
          names={[`The ${kind} now`, "As edited"]}
          diagnostics={diagnostics}
          isProposal={isProposal}
          save={(remark) => save(source.text, source.basedOn, remark)}
          onClose={() => setSaving(false)}
          onSaved={(activation) => {
            setSaving(false);
            // The version has what is proposed; the file is as before.
            if (activation.answer === "proposed") source.giveUp();
            else source.forget();
            onSaved(activation);
          }}
        />
      )}
    </section>
  );
}
