/** Changes which services the subscribers of an account cannot use. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import type { AccountDialogProps } from "./dialog-props";
import { ServiceTicks } from "./service-ticks";

export function BarringDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const loaded = useLoad(async () => (await gateway.charging()).services, []);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(account.barred));
  const change = async (because: string) => {
    const { barred } = await gateway.setBarred(name, [...chosen], because);
    say(barred.length === 0 ? "All services can be used." : `The account is barred from ${barred.join(", ")}.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Bar services of account ${account.account}`}
      onClose={onClose}
      word="Change"
      busyWord="Changing…"
      deed={change}
      needs={loaded}
      fields={
        <ServiceTicks legend="Barred services" services={loaded.value ?? []} chosen={chosen} onChosen={setChosen} />
      }
    >
      The account pays nothing for these services: only what is free can be used of them, such as emergency calls.
    </ReasonDialog>
  );
}
