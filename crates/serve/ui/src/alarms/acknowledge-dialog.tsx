/** Acknowledges alarms, with a remark on what is done about them. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Alarm } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
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
  const acknowledge = async () => {
    const { changed } = await gateway.acknowledge(
      alarms.map((alarm) => alarm.id),
      isAcknowledged,
      remark.trim(),
    );
    say(`${counted(changed, "alarm")} ${isAcknowledged ? "acknowledged" : "no longer acknowledged"}.`);
    onDone();
  };
  return (
    <AskDialog
      title={title}
      onClose={onClose}
      answers={[
        { word: isAcknowledged ? "Acknowledge" : "Take back", isReady: remark.trim() !== "", deed: acknowledge },
      ]}
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
        help="What is done about it. It stays with the alarm, and in the trail."
      />
    </AskDialog>
  );
}
