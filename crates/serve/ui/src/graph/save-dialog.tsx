/** Saves what was edited as a version, and may make it the flow that runs. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { useDeed } from "../parts/load";
import { say } from "../parts/notices";
import { activationInWords } from "./activation";
import { DiffView } from "./diff-view";
import { type Editing, change, current, keep } from "./editing";

interface SaveProps {
  editing: Editing;
  onClose: () => void;
}

export function SaveDialog({ editing, onClose }: SaveProps) {
  const [remark, setRemark] = useState("");
  const deed = useDeed();
  const { text, diagnostics } = current(editing);
  const mistakes = diagnostics.filter((each) => each.severity === "error").length;

  const saved = async () => {
    if (editing.saved?.text === text) return editing.saved.version;
    const { version } = await gateway.save(text, remark.trim());
    change((before) => ({ ...before, saved: { version, text } }));
    return version;
  };
  const save = () =>
    deed.run(async () => {
      const version = await saved();
      say(`Version ${version} is saved. It is not active yet.`);
      onClose();
    });
  const activate = () =>
    deed.run(async () => {
      const version = await saved();
      say(activationInWords(await gateway.activate(version, editing.base.digest), `Version ${version}`));
      keep(null);
      onClose();
    });
  const isLacking = remark.trim() === "" && editing.saved?.text !== text;
  return (
    <Dialog
      title="Save as a version"
      width="wide"
      onClose={onClose}
      onSubmit={save}
      problem={deed.problem}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button" disabled={deed.isBusy || isLacking || editing.saved?.text === text}>
            Save
          </button>
          <button
            type="button"
            className="button button-main"
            disabled={deed.isBusy || isLacking || mistakes > 0}
            onClick={activate}
          >
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
      {mistakes > 0 && (
        <p className="remark">
          It has {mistakes === 1 ? "a mistake" : `${mistakes} mistakes`}: it can be saved, and becomes active when there
          is none.
        </p>
      )}
      <DiffView before={editing.base.text} after={text} names={["The flow file", "What you save"]} />
    </Dialog>
  );
}
