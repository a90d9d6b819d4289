/** Refills an account with an amount that the subscriber has paid. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import type { AccountDialogProps } from "./dialog-props";
import { newReference } from "./reference";
import { ReferenceField } from "./reference-field";
import { orRequested } from "./requested";
import { movedInWords } from "./words";

export function RefillDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const [amount, setAmount] = useState("");
  const [reference, setReference] = useState(newReference);
  const refill = async (because: string) => {
    const of = { amount: amount.trim(), reference: reference.trim(), because };
    say(movedInWords(`${of.amount} ${account.currency} refilled`, await gateway.refill(name, of)));
    onDone();
  };
  return (
    <ReasonDialog
      title={`Refill account ${account.account}`}
      onClose={onClose}
      word="Refill"
      busyWord="Refilling…"
      isReady={amount.trim() !== "" && reference.trim() !== ""}
      deed={orRequested(refill, onDone)}
      fields={
        <>
          <TextField
            label={`Amount in ${account.currency}`}
            value={amount}
            onValue={setAmount}
            inputMode="decimal"
            placeholder="100.00"
            isRequired
          />
          <ReferenceField of="payment" value={reference} onValue={setReference} />
        </>
      }
    >
      The amount is added to the main balance.
    </ReasonDialog>
  );
}
