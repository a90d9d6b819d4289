/** Uses a voucher for an account, such as for a subscriber who calls and reads out the PIN. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import type { AccountDialogProps } from "./dialog-props";
import { plainPin, usedInWords } from "./vouchers";

export function UseVoucherDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const [pin, setPin] = useState("");
  const use = async () => {
    say(usedInWords(await gateway.useVoucher(name, plainPin(pin))));
    onDone();
  };
  return (
    <AskDialog
      title={`Use a voucher for account ${account.account}`}
      onClose={onClose}
      answers={[{ word: "Use", busyWord: "Asking…", isReady: plainPin(pin) !== "", deed: use }]}
    >
      <p>
        The amount of the voucher is added to the main balance. After three wrong PINs, the account may not try again
        for 24 hours.
      </p>
      <TextField
        label="PIN"
        value={pin}
        onValue={setPin}
        inputMode="numeric"
        isRequired
        help="The digits below the scratch layer, not the serial number."
      />
    </AskDialog>
  );
}
