/** Withdraws a version that has not begun, for a reason that stays. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { TariffVersion } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { Moment } from "../parts/time";

interface WithdrawProps {
  plan: string;
  version: TariffVersion;
  onClose: () => void;
  onDone: () => void;
}

export function WithdrawDialog({ plan, version, onClose, onDone }: WithdrawProps) {
  const [because, setBecause] = useState("");
  const withdraw = async () => {
    await gateway.withdrawTariff(plan, version.version, because.trim());
    say(`Version ${version.version} of ${plan} is withdrawn.`);
    onDone();
  };
  return (
    <AskDialog
      title={`Withdraw version ${version.version} of ${plan}?`}
      onClose={onClose}
      answers={[{ word: "Withdraw", look: "grave", isReady: because.trim() !== "", deed: withdraw }]}
    >
      <p>
        “{version.name}” would be valid from <Moment at={version.valid_from} /> on. The version before it goes on then.
        It stays in the table, and its files can be loaded again.
      </p>
      <TextField
        label="Reason"
        value={because}
        onValue={setBecause}
        isRequired
        autoFocus
        help="Whoever audits this reads it."
      />
    </AskDialog>
  );
}
