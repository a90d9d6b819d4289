/** Changes which services the subscribers of an account cannot use. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import type { AccountDialogProps } from "./dialog-props";
import { type Scopes, ScopeTicks } from "./scope-ticks";

export function BarringDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const loaded = useLoad(gateway.charging, []);
  const [chosen, setChosen] = useState<Scopes>({
    services: new Set(account.barred),
    classes: new Set(account.barred_classes),
  });
  const change = async (because: string) => {
    const [services, classes] = [[...chosen.services], [...chosen.classes]];
    const { barred, barred_classes } = await gateway.setBarred(name, { services, classes, because });
    const all = [...barred, ...barred_classes];
    say(all.length === 0 ? "All services can be used." : `The account is barred from ${all.join(", ")}.`);
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
        <ScopeTicks
          legend="Barred services"
          known={loaded.value ?? { services: [], classes: [] }}
          chosen={chosen}
          onChosen={setChosen}
        />
      }
    >
      The account pays nothing for these: only what is free can be used of them, such as emergency calls.
    </ReasonDialog>
  );
}
