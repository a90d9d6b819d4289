/** Withdraws a version that is not valid yet, with a reason that goes to the audit trail. */
import { gateway } from "../api/gateway";
import type { TariffVersion } from "../api/types";
import { say } from "../parts/notices";
import { Moment } from "../parts/time";
import { ReasonDialog } from "../parts/reason-dialog";

interface WithdrawProps {
  plan: string;
  version: TariffVersion;
  onClose: () => void;
  onDone: () => void;
}

export function WithdrawDialog({ plan, version, onClose, onDone }: WithdrawProps) {
  const withdraw = async (because: string) => {
    await gateway.withdrawTariff(plan, version.version, because);
    say(`Version ${version.version} of ${plan} is withdrawn.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Withdraw version ${version.version} of ${plan}?`}
      onClose={onClose}
      word="Withdraw"
      look="grave"
      deed={withdraw}
    >
      “{version.name}” would be valid from <Moment at={version.valid_from} /> on. The version before it goes on then. It
      stays in the table, and its files can be loaded again.
    </ReasonDialog>
  );
}
