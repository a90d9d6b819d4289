/** Begins a new file of rules. It is a draft until it is saved. */
import { useState } from "react";

import type { FraudRuleFiles } from "../api/types";
import { useLive } from "../live/live";
import { Dialog } from "../parts/dialog";
import { SelectField, TextField } from "../parts/field";
import { go } from "../router/router";
import { draftOf, keepDraft } from "../scripts/drafts";
import { ruleFileAddress } from "./address";
import { type Ending, RULE_FILE_KINDS, beginningOf, isRuleName, newRuleFile } from "./rule-files";

interface NewRuleProps {
  of: FraudRuleFiles;
  onClose: () => void;
}

export function NewRuleDialog({ of: { files, folders }, onClose }: NewRuleProps) {
  const graph = useLive((live) => live.graph);
  const [name, setName] = useState("");
  const [ending, setEnding] = useState<Ending>(".toml");
  const [folder, setFolder] = useState(folders[0] ?? "");
  const file = newRuleFile(folder, name, ending);
  const isTaken = files.some((each) => each.file === file) || draftOf(file) !== null;
  const isReady = isRuleName(name) && !isTaken;
  const begin = () => {
    keepDraft(file, { text: beginningOf(ending, folder, graph), basedOn: "" });
    onClose();
    go(ruleFileAddress(file));
  };
  return (
    <Dialog
      title="New rule"
      onClose={onClose}
      onSubmit={() => isReady && begin()}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button-main" disabled={!isReady}>
            Write it
          </button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onValue={setName}
        isRequired
        help={
          isTaken
            ? `There is a file ${file} already. Choose another name, or change that file.`
            : "Letters, digits, “-” and “_”. Alerts and cases show the name of their rule."
        }
      />
      <SelectField label="Kind" value={ending} onValue={(value) => setEnding(value as Ending)}>
        {RULE_FILE_KINDS.map((kind) => (
          <option key={kind.ending} value={kind.ending}>
            {kind.word}, {kind.ending}
          </option>
        ))}
      </SelectField>
      {folders.length > 1 && (
        <SelectField label="Folder" value={folder} onValue={setFolder}>
          {folders.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
      )}
    </Dialog>
  );
}
