/** Changes the type of an account's subscriber, by which its calls are priced. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { SelectField } from "../parts/field";
import { useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import type { AccountDialogProps } from "./dialog-props";

/** The choice of the type of the number. */
const OF_NUMBER = "that of the number";

export function SubscriberTypeDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const loaded = useLoad(async () => (await gateway.charging()).subscriber_types, []);
  // The plans may have lost the type that the account has.
  const own = account.subscriber_type == null ? [] : [account.subscriber_type];
  const types = [...new Set([...(loaded.value ?? []), ...own])];
  const [type, setType] = useState(account.subscriber_type ?? "");
  const change = async (because: string) => {
    const { subscriber_type } = await gateway.setSubscriberType(name, type, because);
    say(`The type is ${subscriber_type ?? OF_NUMBER}.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Type of account ${account.account}`}
      onClose={onClose}
      word="Change"
      busyWord="Changing…"
      deed={change}
      needs={loaded}
      fields={
        <SelectField label="Type of subscriber" value={type} onValue={setType}>
          <option value="">{OF_NUMBER}</option>
          {types.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </SelectField>
      }
    >
      Calls that begin from now on are priced for this type. Calls in progress keep their prices.
    </ReasonDialog>
  );
}
