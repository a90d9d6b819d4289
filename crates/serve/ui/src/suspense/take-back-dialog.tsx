/** Takes back requested retries that are not done yet. */
import { type SuspenseChoice, gateway } from "../api/gateway";
import { AskDialog } from "../parts/ask-dialog";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";

interface TakeBackProps {
  choice: SuspenseChoice;
  words: string;
  onClose: () => void;
  onDone: () => void;
}

/** Describes how many records are not to be retried any more. */
export function takenBackInWords(records: number): string {
  if (records === 0) return "None of these records is to be retried any more.";
  return `${counted(records, "record")} no longer to be retried.`;
}

export function TakeBackDialog({ choice, words, onClose, onDone }: TakeBackProps) {
  const takeBack = async () => {
    const { taken_back: records } = await gateway.takeBackRetries(choice);
    say(takenBackInWords(records));
    onDone();
  };
  return (
    <AskDialog
      title={`Take back the retry of ${words}?`}
      onClose={onClose}
      answers={[{ word: "Take back", busyWord: "Taking back…", deed: takeBack }]}
    >
      <p>
        Records that are to be retried, and are not yet, stay open in suspense. So do the others of their groups. What
        was retried already stays as it is.
      </p>
    </AskDialog>
  );
}
