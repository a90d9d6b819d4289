/** Saves a script and makes it the one that runs. A version of the flow is kept with it. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { ScriptText } from "../api/types";
import { activationInWords } from "../graph/activation";
import { DiffView } from "../graph/diff-view";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { useDeed } from "../parts/load";
import { say } from "../parts/notices";

interface SaveProps {
  script: ScriptText;
  text: string;
  onClose: () => void;
  onSaved: () => void;
}

export function SaveScriptDialog({ script, text, onClose, onSaved }: SaveProps) {
  const [remark, setRemark] = useState("");
  const deed = useDeed();
  const save = () =>
    deed.run(async () => {
      say(activationInWords(await gateway.saveScript(script.file, text, script.digest, remark.trim()), script.file));
      onSaved();
    });
  return (
    <Dialog
      title={`Save and activate ${script.file}`}
      width="wide"
      onClose={onClose}
      onSubmit={save}
      problem={deed.problem}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button-main" disabled={deed.isBusy || remark.trim() === ""}>
            Save and activate
          </button>
        </>
      }
    >
      <TextField
        label="Remark"
        value={remark}
        onValue={setRemark}
        isRequired
        autoFocus
        maxLength={500}
        help="What changes, and why. It stays with the version."
      />
      <DiffView before={script.text} after={text} names={["The script now", "As edited"]} />
    </Dialog>
  );
}
