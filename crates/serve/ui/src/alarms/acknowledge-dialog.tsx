/** Somebody has seen alarms, and says what is done about them. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Alarm } from "../api/types";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { useDeed } from "../parts/load";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";

interface AcknowledgeProps {
  title: string;
  alarms: Alarm[];
  isAcknowledged: boolean;
  onClose: () => void;
  onDone: () => void;
}

export function AcknowledgeDialog({ title, alarms, isAcknowledged, onClose, onDone }: AcknowledgeProps) {
  const [remark, setRemark] = useState("");
  const deed = useDeed();
  const acknowledge = () =>
    deed.run(async () => {
      const { changed } = await gateway.acknowledge(
        alarms.map((alarm) => alarm.id),
        isAcknowledged,
        remark.trim(),
      );
      say(`${counted(changed, "alarm")} ${isAcknowledged ? "acknowledged" : "no longer acknowledged"}.`);
      onDone();
    });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={acknowledge}
      problem={deed.problem}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button-main" disabled={deed.isBusy || remark.trim() === ""}>
            {isAcknowledged ? "Acknowledge" : "Take back"}
          </button>
        </>
      }
    >
      <ul className="plain">
        {alarms.map((alarm) => (
          <li key={alarm.id}>
            <span className={`mark mark-${alarm.severity}`}>{alarm.severity}</span> {alarm.text}
          </li>
        ))}
      </ul>
      <TextField
        label="Remark"
        value={remark}
        onValue={setRemark}
        isRequired
        autoFocus
        help="What is done about it. It stays with the alarm, and in the trail."
      />
    </Dialog>
  );
}
