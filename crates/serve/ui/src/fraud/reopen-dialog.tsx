/** Opens a decided case again, with a reason that goes to the audit trail. */
import { gateway } from "../api/gateway";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";

interface ReopenProps {
  id: number;
  onClose: () => void;
  onDone: () => void;
}

export function ReopenDialog({ id, onClose, onDone }: ReopenProps) {
  const reopen = async (because: string) => {
    await gateway.reopenFraud(id, because);
    say(`Case ${id} is open again.`);
    onDone();
  };
  return (
    <ReasonDialog title={`Open case ${id} again?`} onClose={onClose} word="Open again" deed={reopen}>
      Its decision no longer counts for its rules. It goes back to the queue.
    </ReasonDialog>
  );
}
