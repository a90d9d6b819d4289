/** Gives records up, for a reason that stays. */
import { useState } from "react";

import { type SuspenseChoice, gateway } from "../api/gateway";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { useDeed } from "../parts/load";
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
  const deed = useDeed();
  const discard = () =>
    deed.run(async () => {
      const { records } = await gateway.discard(choice, because.trim());
      say(`${counted(records, "record")} discarded.`);
      onDone();
    });
  return (
    <Dialog
      title={`Discard ${words}?`}
      onClose={onClose}
      onSubmit={discard}
      problem={deed.problem}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button-grave" disabled={deed.isBusy || because.trim() === ""}>
            Discard
          </button>
        </>
      }
    >
      <p>Nobody gets anything of them. They stay in the journal as discarded, and the audit tells of them.</p>
      <TextField
        label="Reason"
        value={because}
        onValue={setBecause}
        isRequired
        autoFocus
        help="Whoever audits this reads it."
      />
    </Dialog>
  );
}
