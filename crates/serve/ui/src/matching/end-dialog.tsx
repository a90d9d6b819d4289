/** Ends groups before their time, for a reason that stays. */
import { useState } from "react";

import { type GroupChoice, gateway } from "../api/gateway";
import type { GroupEnd } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { ENDS, endedInWords } from "./words";

interface EndProps {
  end: GroupEnd;
  choice: GroupChoice;
  /** Which they are, as the title says it. */
  words: string;
  onClose: () => void;
  onDone: () => void;
}

export function EndDialog({ end, choice, words, onClose, onDone }: EndProps) {
  const [because, setBecause] = useState("");
  const { word, busyWord, means } = ENDS.find((each) => each.end === end)!;
  const deed = async () => {
    say(endedInWords(await gateway.endGroups(end, choice, because.trim())));
    onDone();
  };
  return (
    <AskDialog
      title={`${word} ${words}?`}
      onClose={onClose}
      answers={[{ word, busyWord, look: end === "drop" ? "grave" : "main", isReady: because.trim() !== "", deed }]}
    >
      <p>{means}</p>
      <TextField
        label="Reason"
        value={because}
        onValue={setBecause}
        isRequired
        autoFocus
        help="Whoever audits this reads it."
      />
    </AskDialog>
  );
}

/** The ways to end groups, as buttons. */
export function EndButtons({ words, onAsk }: { words: string; onAsk: (end: GroupEnd) => void }) {
  return ENDS.map(({ end, word }) => (
    <button
      key={end}
      type="button"
      className={`button ${end === "release" ? "button-main" : end === "drop" ? "button-grave" : ""}`}
      onClick={() => onAsk(end)}
    >
      {word}
      {words === "" ? "" : ` ${words}`}…
    </button>
  ));
}
