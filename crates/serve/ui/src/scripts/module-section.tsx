/** An ASN.1 module that defines a name of a script. */
import type { EditorView } from "@codemirror/view";
import { Suspense, lazy, useEffect, useState } from "react";

import { gateway } from "../api/gateway";
import { useLoad } from "../parts/load";
import { Await, Waiting } from "../parts/page";

const Editor = lazy(async () => ({ default: (await import("./editor")).Editor }));

/** A module that is to be shown. */
export interface ModuleShown {
  file: string;
  /** Takes the view of its text. */
  isShown: (view: EditorView) => void;
}

interface SectionProps {
  module: ModuleShown;
  onClose: () => void;
}

export function ModuleSection({ module, onClose }: SectionProps) {
  const { file } = module;
  const loaded = useLoad(() => gateway.module(file), [file]);
  const [view, setView] = useState<EditorView | null>(null);
  useEffect(() => {
    if (view === null) return;
    view.focus();
    // It is below the script, which may fill the window.
    view.dom.scrollIntoView({ block: "nearest" });
    module.isShown(view);
  }, [view, module]);
  return (
    <section className="section module" aria-label={`Module ${file}`}>
      <div className="section-head">
        <h3 className="fixed">{file}</h3>
        <button type="button" className="button" onClick={onClose}>
          Close the module
        </button>
      </div>
      <Await loaded={loaded}>
        {({ text }) => (
          <Suspense fallback={<Waiting />}>
            <Editor
              label={`Text of ${file}`}
              script={null}
              text={text}
              diagnostics={[]}
              sought={null}
              isReadOnly
              onChange={() => undefined}
              onView={setView}
            />
          </Suspense>
        )}
      </Await>
    </section>
  );
}
