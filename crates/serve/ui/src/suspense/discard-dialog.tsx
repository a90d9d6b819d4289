/** Gives records up, for a reason that stays. */
import { useState } from "react";

import { type SuspenseChoice, gateway } from "../api/gateway";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";

interface DiscardProps {
  choice: SuspenseChoice;
  words: string;
  onClose: () => void;
  onDone: () => void;
}

export function DiscardDialog({ choice, words, onClose, onDone }: DiscardProps) {
  const [because, setBecause] = useState("");
  const discard = async () => {
    const { records } = await gateway.discard(choice, because.trim());
    say(`${counted(records, "record")} discarded.`);
    onDone();
  };
  return (
    <AskDialog
      title={`Discard ${words}?`}
      onClose={onClose}
      answers={[{ word: "Discard", look: "grave", isReady: because.trim() !== "", deed: discard }]}
    >
      <p>Nobody gets anything of them. They stay in the journal as discarded, and the audit tells of them.</p>
      <TextField label="Reason" value={because} onValue={setBecause} isRequired help="Whoever audits this reads it." />
    </AskDialog>
  );
}
