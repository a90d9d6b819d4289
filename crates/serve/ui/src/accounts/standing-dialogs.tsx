/** Blocks an account, lets it be used again, and closes it. */
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

export function CloseDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const close = async (because: string) => {
    await gateway.setStanding(name, "closed", because);
    say(`Account ${account.account} is closed.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Close account ${account.account} for ever?`}
      onClose={onClose}
      word="Close for ever"
      busyWord="Closing…"
      look="grave"
      deed={close}
    >
      Its calls and bundles end, and what is left in its balances expires. It cannot be opened again. Its numbers can be
      given to other accounts when their quarantine is over.
    </ReasonDialog>
  );
}
