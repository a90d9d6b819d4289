/** Shows a masked case unmasked, for a reason that goes to the audit trail. */
import { gateway } from "../api/gateway";
import type { WholeFraudCase } from "../api/types";
import { ReasonDialog } from "../parts/reason-dialog";

interface UnmaskProps {
  id: number;
  onClose: () => void;
  onDone: (unmasked: WholeFraudCase) => void;
}

export function UnmaskDialog({ id, onClose, onDone }: UnmaskProps) {
  const show = async (because: string) => onDone(await gateway.unmaskFraud(id, because));
  return (
    <ReasonDialog
      title={`Show the number of case ${id}?`}
      onClose={onClose}
      word="Show it"
      busyWord="Asking…"
      deed={show}
    >
      You see this case unmasked until you leave it. That you looked at it, and why, is in the audit trail.
    </ReasonDialog>
  );
}
