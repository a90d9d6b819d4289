/** Discards files that could not be delivered, with a reason that goes to the audit trail. */
import { gateway } from "../api/gateway";
import type { Delivery } from "../api/types";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";
import { ReasonDialog } from "../parts/reason-dialog";

interface DiscardProps {
  deliveries: Delivery[];
  onClose: () => void;
  onDone: () => void;
}

export function DiscardDialog({ deliveries, onClose, onDone }: DiscardProps) {
  const discard = async (because: string) => {
    const ids = deliveries.map((delivery) => delivery.id);
    const { files } = await gateway.discardDeliveries(ids, because);
    say(`${counted(files, "file")} discarded.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Discard ${counted(deliveries.length, "file")}?`}
      onClose={onClose}
      word="Discard"
      look="grave"
      deed={discard}
    >
      They are not delivered any more, and cannot be retried. They stay in their folder until you remove them.
    </ReasonDialog>
  );
}
