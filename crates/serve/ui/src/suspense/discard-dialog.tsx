/** Discards records, with a reason that goes to the audit trail. */
import { type SuspenseChoice, gateway } from "../api/gateway";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";
import { ReasonDialog } from "../parts/reason-dialog";

interface DiscardProps {
  choice: SuspenseChoice;
  words: string;
  onClose: () => void;
  onDone: () => void;
}

export function DiscardDialog({ choice, words, onClose, onDone }: DiscardProps) {
  const discard = async (because: string) => {
    const { records } = await gateway.discard(choice, because);
    say(`${counted(records, "record")} discarded.`);
    onDone();
  };
  return (
    <ReasonDialog title={`Discard ${words}?`} onClose={onClose} word="Discard" look="grave" deed={discard}>
      No receiver gets them. They stay in the journal as discarded, and the audit counts them.
    </ReasonDialog>
  );
}
