/** Puts records through again. */
import { useState } from "react";

import { type SuspenseChoice, gateway } from "../api/gateway";
import type { Retried } from "../api/types";
import { Dialog } from "../parts/dialog";
import { useDeed } from "../parts/load";
import { say } from "../parts/notices";
import { count, counted } from "../parts/numbers";

interface RetryProps {
  choice: SuspenseChoice;
  words: string;
  onClose: () => void;
  onDone: () => void;
}

/** What became of them, in a sentence: naught is not told. */
export function retriedInWords(retried: Retried): string {
  const outcomes = (["delivered", "filtered", "held", "suspended", "duplicate", "waiting"] as const)
    .filter((outcome) => retried[outcome] > 0)
    .map(
      (outcome) =>
        `${count(retried[outcome])} ${outcome === "suspended" ? "in suspense again" : outcome === "waiting" ? "still wait" : outcome}`,
    );
  const asked = `${counted(retried.asked, "record")} retried`;
  return outcomes.length === 0 ? `${asked}.` : `${asked}: ${outcomes.join(", ")}.`;
}

export function RetryDialog({ choice, words, onClose, onDone }: RetryProps) {
  const [duplicates, setDuplicates] = useState(false);
  const deed = useDeed();
  const retry = () =>
    deed.run(async () => {
      say(retriedInWords(await gateway.retry(choice, duplicates)));
      onDone();
    });
  return (
    <Dialog
      title={`Retry ${words}?`}
      onClose={onClose}
      onSubmit={retry}
      problem={deed.problem}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button-main" disabled={deed.isBusy}>
            {deed.isBusy ? "Retrying…" : "Retry"}
          </button>
        </>
      }
    >
      <p>
        They go the whole way again, through the flow that runs now. What fails again stays here, with its new reason;
        nobody gets a record twice.
      </p>
      <label className="tick">
        <input type="checkbox" checked={duplicates} onChange={() => setDuplicates(!duplicates)} />
        Also those that came before (duplicates)
      </label>
    </Dialog>
  );
}
