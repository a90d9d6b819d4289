/** Reopens discarded records, with a reason that goes to the audit trail. */
import { type SuspenseChoice, gateway } from "../api/gateway";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";
import { ReasonDialog } from "../parts/reason-dialog";

interface ReopenProps {
  choice: SuspenseChoice;
  words: string;
  onClose: () => void;
  onDone: () => void;
}

export function ReopenDialog({ choice, words, onClose, onDone }: ReopenProps) {
  const reopen = async (because: string) => {
    const { records } = await gateway.reopen(choice, because);
    say(`${counted(records, "record")} opened again. Retry what is to go out.`);
    onDone();
  };
  return (
    <ReasonDialog title={`Open ${words} again?`} onClose={onClose} word="Open again" deed={reopen}>
      They are in suspense as before, to be corrected and retried. That they were discarded stays in their history.
    </ReasonDialog>
  );
}
