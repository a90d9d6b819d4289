/** Allows processed files to come again, with a reason that goes to the audit trail. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { DoneFile } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";
import { visible } from "../parts/visible";

/** The most names to show of the selected files. */
const SHOWN_MAX = 10;

interface AgainProps {
  files: DoneFile[];
  onClose: () => void;
  onDone: () => void;
}

export function AgainDialog({ files, onClose, onDone }: AgainProps) {
  const [because, setBecause] = useState("");
  const [evenCounters, setEvenCounters] = useState(false);
  const again = async () => {
    const found = await gateway.again(
      files.map((file) => file.job),
      evenCounters,
      because.trim(),
    );
    say(found.files === 0 ? "They may come again already." : `${counted(found.files, "file")} may come again.`);
    onDone();
  };
  return (
    <AskDialog
      title={`May ${counted(files.length, "file")} come again?`}
      onClose={onClose}
      answers={[{ word: "They may", isReady: because.trim() !== "", deed: again }]}
    >
      <ul className="plain">
        {files.slice(0, SHOWN_MAX).map((file) => (
          <li key={file.job}>
            <span className="fixed break">{visible(file.file)}</span> of {file.network_element}
          </li>
        ))}
        {files.length > SHOWN_MAX && <li>and {counted(files.length - SHOWN_MAX, "other")}</li>}
      </ul>
      <p>
        What comes again under these names, or with the same in it, is processed and delivered as a new file, and no
        duplicate. What was done with it before stays: take that back from receivers yourself. A file that was set aside
        in its folder is taken when its name no longer ends with <span className="fixed">.duplicate</span>.
      </p>
      <label className="tick">
        <input type="checkbox" checked={evenCounters} onChange={() => setEvenCounters(!evenCounters)} />
        Even where counters of subscribers count it once more
      </label>
      <TextField
        label="Reason"
        value={because}
        onValue={setBecause}
        isRequired
        data-first
        help="Why they are processed again. It stands in the trail."
      />
    </AskDialog>
  );
}
