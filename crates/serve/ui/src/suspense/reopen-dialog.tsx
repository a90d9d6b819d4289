/** Takes back that records were discarded, for a reason that stays. */
import { useState } from "react";

import { type SuspenseChoice, gateway } from "../api/gateway";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";

interface ReopenProps {
  choice: SuspenseChoice;
  words: string;
  onClose: () => void;
  onDone: () => void;
}

export function ReopenDialog({ choice, words, onClose, onDone }: ReopenProps) {
  const [because, setBecause] = useState("");
  const reopen = async () => {
    const { records } = await gateway.reopen(choice, because.trim());
    say(`${counted(records, "record")} opened again. Retry what is to go out.`);
    onDone();
  };
  return (
    <AskDialog
      title={`Open ${words} again?`}
      onClose={onClose}
      answers={[{ word: "Open again", isReady: because.trim() !== "", deed: reopen }]}
    >
      <p>
        They are in suspense as before, to be corrected and retried. That they were discarded stays in their history.
      </p>
      <TextField
        label="Reason"
        value={because}
        onValue={setBecause}
        isRequired
        autoFocus
        help="Whoever audits this reads it."
      />
    </AskDialog>
  );
}
