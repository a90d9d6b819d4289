/** Processes records again. */
import { useState } from "react";

import { type SuspenseChoice, gateway } from "../api/gateway";
import type { Retried } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { say } from "../parts/notices";
import { count, counted } from "../parts/numbers";

interface RetryProps {
  choice: SuspenseChoice;
  words: string;
  onClose: () => void;
  onDone: () => void;
}

/** The most numbers of damaged records in a message. */
const DAMAGED_MAX = 5;

/** Describes the results of a retry, with the reasons for records that were left. Zeros are omitted. */
export function retriedInWords(retried: Retried): string {
  const outcomes = (["delivered", "filtered", "held", "suspended", "duplicate", "waiting"] as const)
    .filter((outcome) => retried[outcome] > 0)
    .map(
      (outcome) =>
        `${count(retried[outcome])} ${outcome === "suspended" ? "in suspense again" : outcome === "waiting" ? "still wait" : outcome}`,
    );
  const asked = `${counted(retried.asked, "record")} retried`;
  const { left, taken_back: takenBack, damaged } = retried;
  const numbers = damaged.slice(0, DAMAGED_MAX).join(", ") + (damaged.length > DAMAGED_MAX ? ", …" : "");
  return [
    outcomes.length === 0 ? `${asked}.` : `${asked}: ${outcomes.join(", ")}.`,
    left > 0 && `${counted(left, "duplicate")} left in suspense.`,
    takenBack > 0 && `${counted(takenBack, "record")} left, as somebody has taken that back meanwhile.`,
    damaged.length > 0 && `Not retried, as their octets were damaged in the journal: ${numbers}.`,
  ]
    .filter((each) => each !== false)
    .join(" ");
}

export function RetryDialog({ choice, words, onClose, onDone }: RetryProps) {
  const [duplicates, setDuplicates] = useState(false);
  const retry = async () => {
    say(retriedInWords(await gateway.retry(choice, duplicates)));
    onDone();
  };
  return (
    <AskDialog
      title={`Retry ${words}?`}
      onClose={onClose}
      answers={[{ word: "Retry", busyWord: "Retrying…", deed: retry }]}
    >
      <p>
        They go the whole way again, through the flow that runs now. What fails again stays here, with its new reason;
        no receiver gets a record twice.
      </p>
      <label className="tick">
        <input type="checkbox" checked={duplicates} onChange={() => setDuplicates(!duplicates)} />
        Also those that came before (duplicates)
      </label>
    </AskDialog>
  );
}
