/** Saves a file of the flow, a script or a table, and activates it. Each save also makes a version of the flow. */
import { useState } from "react";

import type { Activation, Diagnostic } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { say } from "../parts/notices";
import { activationInWords } from "./activation";
import { DiffView } from "./diff-view";
import { RemarkField } from "./remark-field";

interface SaveFileProps {
  file: string;
  /** The text before and after, with the titles of both. */
  before: string;
  after: string;
  names: [string, string];
  /** The diagnostics of the new text. */
  diagnostics: Diagnostic[];
  save: (remark: string) => Promise<Activation>;
  onClose: () => void;
  onSaved: () => void;
}

export function SaveFileDialog({ file, before, after, names, diagnostics, save, onClose, onSaved }: SaveFileProps) {
  const [remark, setRemark] = useState("");
  const mistakes = diagnostics.filter((each) => each.severity === "error").length;
  const activate = async () => {
    say(activationInWords(await save(remark.trim()), file));
    onSaved();
  };
  return (
    <AskDialog
      title={`Save and activate ${file}`}
      width="wide"
      onClose={onClose}
      answers={[{ word: "Save and activate", isReady: remark.trim() !== "", deed: activate }]}
    >
      <RemarkField value={remark} onValue={setRemark} />
      {mistakes > 0 && (
        <p className="remark">
          It has {mistakes === 1 ? "a mistake" : `${mistakes} mistakes`}: it becomes active when there is none.
        </p>
      )}
      <DiffView before={before} after={after} names={names} />
    </AskDialog>
  );
}
