/** Changes how far the main balance of an account may be overdrawn. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import type { AccountDialogProps } from "./dialog-props";

export function CreditLimitDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const [amount, setAmount] = useState(account.credit_limit);
  const change = async (because: string) => {
    const { credit_limit, currency } = await gateway.setCreditLimit(name, amount.trim(), because);
    say(`The credit limit is ${credit_limit} ${currency}.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Credit limit of account ${account.account}`}
      onClose={onClose}
      word="Change"
      busyWord="Changing…"
      isReady={amount.trim() !== ""}
      deed={change}
      fields={
        <TextField
          label={`Credit limit in ${account.currency}`}
          value={amount}
          onValue={setAmount}
          inputMode="decimal"
          isRequired
          help="0 for none."
        />
      }
    >
      The main balance may be overdrawn by this amount.
    </ReasonDialog>
  );
}
