/** Saves the edited flow as a version, and can go on to activate it. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { AskDialog } from "../parts/ask-dialog";
import { say } from "../parts/notices";
import { ActivateDialog } from "./activate-dialog";
import { DiffView } from "./diff-view";
import { type Editing, change, current, keep } from "./editing";
import { RemarkField } from "./remark-field";

interface SaveProps {
  editing: Editing;
  onClose: () => void;
}

export function SaveDialog({ editing, onClose }: SaveProps) {
  const [remark, setRemark] = useState("");
  /** The version to activate, which has been saved. */
  const [toActivate, setSaved] = useState<Pick<Parameters<typeof ActivateDialog>[0], "version" | "because" | "seen">>();
  const { text, diagnostics } = current(editing);
  const mistakes = diagnostics.filter((each) => each.severity === "error").length;

  const saved = async () => {
    const said = remark.trim() === "" && editing.saved?.text === text ? editing.saved.remark : remark.trim();
    const { version, left_out, found } = await gateway.save(text, said);
    if (left_out.length > 0)
      say(`No part of version ${version}: ${left_out.map(({ name, why }) => `${name} (${why})`).join(", ")}.`);
    change((before) => ({ ...before, saved: { version, text, remark: said } }));
    return { version, found, said };
  };
  const save = async () => {
    const { version } = await saved();
    say(`Version ${version} is saved. It is not active yet.`);
    onClose();
  };
  const activate = async () => {
    // Save again before activating: the scripts can have changed since the version was saved.
    const { version, found, said } = await saved();
    setSaved({ version, because: said, seen: { based_on: editing.base.digest, found } });
  };
  const isSaved = editing.saved?.text === text;
  if (toActivate !== undefined) {
    const done = () => {
      keep(null);
      onClose();
    };
    return <ActivateDialog {...toActivate} onClose={onClose} onDone={done} />;
  }
  const isLacking = remark.trim() === "" && !isSaved;
  return (
    <AskDialog
      title="Save as a version"
      width="wide"
      onClose={onClose}
      answers={[
        { word: "Save", look: "plain", isReady: !isLacking && !isSaved, deed: save },
        { word: "Save and activate…", isReady: !isLacking && mistakes === 0, deed: activate },
      ]}
    >
      <RemarkField value={remark} onValue={setRemark} />
      {mistakes > 0 && (
        <p className="remark">
          It has {mistakes === 1 ? "a mistake" : `${mistakes} mistakes`}: it can be saved, and becomes active when there
          is none.
        </p>
      )}
      <DiffView before={editing.base.text} after={text} names={["The flow file", "What you save"]} />
    </AskDialog>
  );
}
