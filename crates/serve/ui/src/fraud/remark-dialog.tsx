/** Adds a remark to a case. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";

interface RemarkProps {
  id: number;
  onClose: () => void;
  onDone: () => void;
}

export function RemarkDialog({ id, onClose, onDone }: RemarkProps) {
  const [remark, setRemark] = useState("");
  const add = async () => {
    await gateway.remarkFraud(id, remark.trim());
    say("Remark added.");
    onDone();
  };
  return (
    <AskDialog
      title={`Remark on case ${id}`}
      onClose={onClose}
      answers={[{ word: "Add", isReady: remark.trim() !== "", deed: add }]}
    >
      <TextField
        label="Remark"
        value={remark}
        onValue={setRemark}
        isRequired
        help="Other analysts read it, and it is in the audit trail. It cannot be changed."
      />
    </AskDialog>
  );
}
