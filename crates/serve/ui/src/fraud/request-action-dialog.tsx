/** Requests an action about the key of a case, with a reason that goes to the audit trail. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { visible } from "../parts/visible";
import { namesOf } from "./action-words";

interface RequestProps {
  id: number;
  onClose: () => void;
  onDone: () => void;
}

export function RequestActionDialog({ id, onClose, onDone }: RequestProps) {
  const rules = useLoad(() => gateway.fraudRules({}), []);
  const [action, setAction] = useState("");
  const [reason, setReason] = useState("");
  const known = namesOf(rules.value?.rules ?? []);
  const request = async () => {
    await gateway.requestAction(id, action.trim(), reason.trim());
    say(`Requested: ${visible(action.trim())}.`);
    onDone();
  };
  return (
    <AskDialog
      title={`Request an action about case ${id}`}
      onClose={onClose}
      answers={[
        {
          word: "Request",
          busyWord: "Requesting…",
          isReady: action.trim() !== "" && reason.trim() !== "",
          deed: request,
        },
      ]}
    >
      <TextField
        label="Action"
        value={action}
        onValue={setAction}
        isRequired
        known={known}
        help="An action of the flow file. It waits for approval like one that a rule requests."
      />
      {known.length > 0 && (
        <p className="known-actions">
          <span className="muted">Rules request:</span>{" "}
          {known.map((name) => (
            <button
              key={name}
              type="button"
              className="button"
              aria-pressed={action === name}
              onClick={() => setAction(name)}
            >
              {visible(name)}
            </button>
          ))}
        </p>
      )}
      <TextField
        label="Reason"
        value={reason}
        onValue={setReason}
        isRequired
        help="It is sent with the action, and is in the audit trail."
      />
    </AskDialog>
  );
}
