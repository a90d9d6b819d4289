/** Decides what cases are, with a reason that goes to the audit trail. */
import { useId, useState } from "react";

import { gateway } from "../api/gateway";
import type { FraudDecision } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";
import { DECISIONS, decisionInWords } from "./words";

interface DecideProps {
  cases: number[];
  /** The cases, in words for the title. */
  words: string;
  /** What is chosen at the beginning. */
  decision: FraudDecision | null;
  onClose: () => void;
  onDone: () => void;
}

export function DecideDialog({ cases, words, decision: first, onClose, onDone }: DecideProps) {
  const [decision, setDecision] = useState(first);
  const [reason, setReason] = useState("");
  const decide = async () => {
    if (decision === null) return;
    const { changed } = await gateway.decideFraud(cases, decision, reason.trim());
    say(decidedInWords(cases.length, changed, decision));
    onDone();
  };
  return (
    <AskDialog
      title={`Decide ${words}`}
      onClose={onClose}
      answers={[
        {
          word: "Decide",
          busyWord: "Deciding…",
          isReady: decision !== null && reason.trim() !== "",
          deed: decide,
        },
      ]}
    >
      <DecisionField value={decision} onValue={setDecision} />
      <TextField
        label="Reason"
        value={reason}
        onValue={setReason}
        isRequired
        {...(first === null ? {} : { "data-first": true })}
        help="Other analysts read it, and it is in the audit trail."
      />
    </AskDialog>
  );
}

/** Says how many cases were decided. A case that was decided before stays as it is. */
export function decidedInWords(chosen: number, changed: number, decision: FraudDecision): string {
  const before = chosen - changed;
  const done = changed === 0 ? "" : `${counted(changed, "case")} decided: ${decisionInWords(decision)}.`;
  const stays = before === 0 ? "" : `${counted(before, "case")} had been decided before.`;
  return [done, stays].filter((each) => each !== "").join(" ");
}

interface FieldProps {
  value: FraudDecision | null;
  onValue: (decision: FraudDecision) => void;
}

function DecisionField({ value, onValue }: FieldProps) {
  const id = useId();
  return (
    <fieldset className="field decisions">
      <legend className="label">
        Decision<span className="required"> (required)</span>
      </legend>
      {DECISIONS.map(({ decision, word, means }) => (
        <div key={decision} className="decision">
          <input
            type="radio"
            id={`${id}-${decision}`}
            name={id}
            required
            checked={value === decision}
            aria-describedby={`${id}-${decision}-help`}
            onChange={() => onValue(decision)}
          />
          <label htmlFor={`${id}-${decision}`}>{word}</label>
          <span id={`${id}-${decision}-help`} className="help">
            {means}
          </span>
        </div>
      ))}
    </fieldset>
  );
}
