/** Transfers money to another account. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Transferred } from "../api/types";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import { plainNumber } from "./address";
import { isAny } from "./amounts";
import type { AccountDialogProps } from "./dialog-props";
import { newReference } from "./reference";
import { ReferenceField } from "./reference-field";
import { orRequested } from "./requested";

export function TransferDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const [to, setTo] = useState("");
  const [amount, setAmount] = useState("");
  const [reference, setReference] = useState(newReference);
  const transfer = async (because: string) => {
    const of = { to: plainNumber(to), amount: amount.trim(), reference: reference.trim(), because };
    say(transferredInWords(of.amount, await gateway.transfer(name, of)));
    onDone();
  };
  return (
    <ReasonDialog
      title={`Transfer from account ${account.account}`}
      onClose={onClose}
      word="Transfer"
      busyWord="Transferring…"
      isReady={[to, amount, reference].every((each) => each.trim() !== "")}
      deed={orRequested(transfer, onDone)}
      fields={
        <>
          <TextField
            label="To"
            value={to}
            onValue={setTo}
            isRequired
            help="A number of the receiver, or # and the number of the account."
          />
          <TextField
            label={`Amount in ${account.currency}`}
            value={amount}
            onValue={setAmount}
            inputMode="decimal"
            placeholder="100.00"
            isRequired
          />
          <ReferenceField of="request" value={reference} onValue={setReference} />
        </>
      }
    >
      The amount goes from the main balance to that of the receiver. A transfer is not reversed: another one brings it
      back.
    </ReasonDialog>
  );
}

export const transferredInWords = (amount: string, { to, fee, balance, currency, repeated }: Transferred) =>
  repeated
    ? `This was transferred before: nothing is changed. The main balance is ${balance} ${currency}.`
    : `${amount} ${currency} transferred to account ${to}${fee != null && isAny(fee) ? ` for a fee of ${fee} ${currency}` : ""}. The main balance is ${balance} ${currency} now.`;
