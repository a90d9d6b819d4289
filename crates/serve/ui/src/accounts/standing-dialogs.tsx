/** Blocks an account, and lets it be used again. */
import { gateway } from "../api/gateway";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import type { AccountDialogProps } from "./dialog-props";

export function BlockDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const block = async (because: string) => {
    await gateway.setStanding(name, "suspended", because);
    say(`Account ${account.account} is blocked.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Block account ${account.account}?`}
      onClose={onClose}
      word="Block"
      busyWord="Blocking…"
      look="grave"
      deed={block}
    >
      No call or connection is begun any more. The account keeps its balances, and may be refilled.
    </ReasonDialog>
  );
}

export function UnblockDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const unblock = async (because: string) => {
    await gateway.setStanding(name, "active", because);
    say(`Account ${account.account} is active.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Unblock account ${account.account}?`}
      onClose={onClose}
      word="Unblock"
      busyWord="Unblocking…"
      deed={unblock}
    >
      The account can be used again.
    </ReasonDialog>
  );
}
