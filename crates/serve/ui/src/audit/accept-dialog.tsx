/** Accepts missing files or records as lost, with a reason that goes to the audit trail. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { SequenceLine } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";

interface AcceptProps {
  line: SequenceLine;
  onClose: () => void;
  onDone: () => void;
}

/** Formats numbers for the gateway: `17`, or `17-19`. */
export const numbersOf = ({ first, last }: SequenceLine) =>
  first == null ? "" : last == null || last === first ? String(first) : `${first}-${last}`;

/** Returns what a gap consists of: `files`, or `records, S1`. */
export const countedOf = (line: SequenceLine) => (line.series === "" ? `${line.of}s` : `${line.of}s, ${line.series}`);

export function AcceptDialog({ line, onClose, onDone }: AcceptProps) {
  const [numbers, setNumbers] = useState(numbersOf(line));
  const [because, setBecause] = useState("");
  const isReady = numbers.trim() !== "" && because.trim() !== "";
  const accept = async () => {
    const { accepted } = await gateway.acceptMissing({
      network_element: line.network_element,
      // Numbers are missing of files or of records; totals have none.
      of: line.of === "file" ? "file" : "record",
      series: line.series,
      numbers: numbers.trim(),
      because: because.trim(),
    });
    say(`${counted(accepted, line.of)} accepted as lost.`);
    onDone();
  };
  return (
    <AskDialog
      title={`Accept ${line.of}s of ${line.network_element} as lost?`}
      onClose={onClose}
      answers={[{ word: "Accept as lost", isReady, deed: accept }]}
    >
      <p>
        They are no longer reported as missing, and the alarm ends if nothing else is missing. The report shows them as
        accepted, with your name and the reason. What comes after all is processed, and counted as late.
      </p>
      <TextField
        label={`Numbers of ${countedOf(line)}`}
        value={numbers}
        onValue={setNumbers}
        isRequired
        help="One, or the first and the last of them: 17-19. Those between them that came stay as they are."
      />
      <TextField
        label="Reason"
        value={because}
        onValue={setBecause}
        isRequired
        data-first
        help="How you know that they do not come. It stands in the report, and in the trail."
      />
    </AskDialog>
  );
}
