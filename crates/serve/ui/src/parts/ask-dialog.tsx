/** A dialog with fields and one or more buttons that do something. An error appears below the fields. */
import type { ReactNode } from "react";

import { Dialog } from "./dialog";
import { useDeed } from "./load";

/** A button of the dialog, and what it does. */
export interface Answer {
  word: string;
  /** The label of the button while it works. */
  busyWord?: string;
  look?: "main" | "plain" | "grave";
  /** Whether the required input is there. */
  isReady?: boolean;
  deed: () => Promise<void>;
}

interface AskProps {
  title: string;
  width?: "narrow" | "wide";
  /** Enter presses the first. */
  answers: [Answer, ...Answer[]];
  onClose: () => void;
  children: ReactNode;
}

const LOOKS = { main: "button button-main", plain: "button", grave: "button button-grave" };

export function AskDialog({ title, width = "narrow", answers, onClose, children }: AskProps) {
  const { isBusy, problem, run } = useDeed();
  return (
    <Dialog
      title={title}
      width={width}
      onClose={onClose}
      onSubmit={() => run(answers[0].deed)}
      problem={problem}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          {answers.map(({ word, busyWord, look = "main", isReady = true, deed }, place) => (
            <button
              key={word}
              type={place === 0 ? "submit" : "button"}
              className={LOOKS[look]}
              disabled={isBusy || !isReady}
              onClick={place === 0 ? undefined : () => run(deed)}
            >
              {isBusy && busyWord !== undefined ? busyWord : word}
            </button>
          ))}
        </>
      }
    >
      {children}
    </Dialog>
  );
}
