/** Saves a file of the flow, a script, a table or a rule, and activates or proposes it. Each save also makes a version of the flow. */
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
  /** Whether the save only proposes the text, and another user activates it. */
  isProposal: boolean;
  onSaved: (activation: Activation) => void;
}

export function SaveFileDialog(props: SaveFileProps) {
  const { file, before, after, names, diagnostics, save, isProposal, onClose, onSaved } = props;
  const [remark, setRemark] = useState("");
  const mistakes = diagnostics.filter((each) => each.severity === "error").length;
  const activate = async () => {
    const activation = await save(remark.trim());
    say(activationInWords(activation, file));
    onSaved(activation);
  };
  const word = isProposal ? "Propose" : "Save and activate";
  return (
    <AskDialog
      title={`${word} ${file}`}
      width="wide"
      onClose={onClose}
      answers={[{ word, isReady: remark.trim() !== "", deed: activate }]}
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
