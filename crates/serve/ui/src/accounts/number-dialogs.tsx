/** Adds a number to an account, and removes one. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import { plainNumber } from "./address";
import type { AccountDialogProps } from "./dialog-props";

export function AddNumberDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const [number, setNumber] = useState("");
  const add = async (because: string) => {
    await gateway.addNumber(name, plainNumber(number), because);
    say(`Account ${account.account} pays for ${plainNumber(number)}.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Add a number to account ${account.account}`}
      onClose={onClose}
      word="Add"
      busyWord="Adding…"
      isReady={number.trim() !== ""}
      deed={add}
      fields={<TextField label="Number" value={number} onValue={setNumber} inputMode="tel" isRequired />}
    >
      The account pays for this number too. A number of another account is removed there first.
    </ReasonDialog>
  );
}

export function RemoveNumberDialog({ account, number, onClose, onDone }: AccountDialogProps & { number: string }) {
  const remove = async (because: string) => {
    await gateway.removeNumber(number, because);
    say(`Account ${account.account} no longer pays for ${number}.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Remove ${number}?`}
      onClose={onClose}
      word="Remove"
      busyWord="Removing…"
      look="grave"
      deed={remove}
    >
      Account {account.account} no longer pays for this number. Its balances and its history stay.
    </ReasonDialog>
  );
}
