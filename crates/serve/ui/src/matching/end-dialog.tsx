/** Ends groups early, with a reason that goes to the audit trail. */
import { type GroupChoice, gateway } from "../api/gateway";
import type { GroupEnd } from "../api/types";
import { type Action, Actions } from "../parts/actions";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import { ENDS, endedInWords } from "./words";

interface EndProps {
  end: GroupEnd;
  choice: GroupChoice;
  /** The groups, in words for the title. */
  words: string;
  onClose: () => void;
  onDone: () => void;
}

export function EndDialog({ end, choice, words, onClose, onDone }: EndProps) {
  const { word, busyWord, means } = ENDS.find((each) => each.end === end)!;
  const deed = async (because: string) => {
    say(endedInWords(await gateway.endGroups(end, choice, because)));
    onDone();
  };
  return (
    <ReasonDialog
      title={`${word} ${words}?`}
      onClose={onClose}
      word={word}
      busyWord={busyWord}
      look={end === "drop" ? "grave" : "main"}
      deed={deed}
    >
      {means}
    </ReasonDialog>
  );
}

/** The buttons that end groups. */
export function EndButtons({ words, onAsk }: { words: string; onAsk: (end: GroupEnd) => void }) {
  const actions = ENDS.map(({ end, word }): Action => ({
    name: words === "" ? `${word}…` : `${word} ${words}…`,
    ...(end === "release" ? { look: "main" } : end === "drop" ? { look: "grave" } : {}),
    run: () => onAsk(end),
  }));
  return <Actions of={actions} />;
}
