/** Ends the renewal of a bundle. */
import { gateway } from "../api/gateway";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import type { AccountDialogProps } from "./dialog-props";

export function CancelBundleDialog({ bundle, name, onClose, onDone }: AccountDialogProps & { bundle: string }) {
  const cancel = async (because: string) => {
    await gateway.cancelBundle(name, bundle, because);
    say(`${bundle} is not bought again.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Cancel the bundle ${bundle}?`}
      onClose={onClose}
      word="End the renewal"
      busyWord="Cancelling…"
      look="grave"
      deed={cancel}
    >
      The bundle is not bought again. What was bought can be used until its time is over.
    </ReasonDialog>
  );
}
