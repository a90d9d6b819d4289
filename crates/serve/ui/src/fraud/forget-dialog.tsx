/** Erases a subject. It says what is erased and what stays; the key is written once more, so none is erased by mistake. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { ForgottenFraudSubject } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";
import { visible } from "../parts/visible";
import { ERASED, STAYS } from "./subject-words";

interface ForgetProps {
  /** The key. */
  of: string;
  /** The numbers of actions about it that are open. While there are any, nothing is erased. */
  open: readonly number[];
  onClose: () => void;
  onDone: (forgotten: ForgottenFraudSubject) => void;
}

export function ForgetDialog({ of, open, onClose, onDone }: ForgetProps) {
  const [because, setBecause] = useState("");
  const [again, setAgain] = useState("");
  // A character that is shown by its number cannot be typed.
  const isSame = again === of || again === visible(of);
  const erase = async () => {
    const forgotten = await gateway.forgetFraud(of, because.trim());
    say("The subject is erased.");
    onDone(forgotten);
  };
  return (
    <AskDialog
      title={`Erase ${visible(of)}?`}
      width="wide"
      onClose={onClose}
      answers={[
        {
          word: "Erase",
          busyWord: "Erasing…",
          look: "grave",
          isReady: because.trim() !== "" && isSame,
          deed: erase,
        },
      ]}
    >
      {open.length > 0 && (
        <p className="remark">
          {counted(open.length, "action")} about the key {open.length === 1 ? "is" : "are"} open: {open.join(", ")}.
          Approve or refuse {open.length === 1 ? "it" : "them"} first, or wait.
        </p>
      )}
      <div className="forget-parts">
        <Named title="Erased, at once and for ever" of={ERASED} />
        <Named title="Stays" of={STAYS} />
      </div>
      <TextField
        label="Reason"
        value={because}
        onValue={setBecause}
        isRequired
        help="It stays in the audit trail: write it without the key."
      />
      <TextField
        label="The key, once more"
        value={again}
        onValue={setAgain}
        isRequired
        help={
          <>
            Write <span className="fixed break">{visible(of)}</span>
          </>
        }
      />
    </AskDialog>
  );
}

const Named = ({ title, of }: { title: string; of: readonly string[] }) => (
  <section aria-label={title}>
    <h3>{title}</h3>
    <ul className="forget-list">
      {of.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  </section>
);
