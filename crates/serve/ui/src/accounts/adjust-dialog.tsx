/** Adjusts a balance, or gives an account a new one, such as a bundle that was sold. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { AmountUnit } from "../api/types";
import { SelectField, TextField } from "../parts/field";
import { useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import { exactly, typedOctets } from "./amounts";
import type { AccountDialogProps } from "./dialog-props";
import { newReference } from "./reference";
import { ReferenceField } from "./reference-field";
import { orRequested } from "./requested";
import { type NewTerms, NO_TERMS, NewBalanceFields, newBalanceOf } from "./new-balance-fields";
import { MAIN, balanceName, movedInWords } from "./words";

/** What is done with the amount. */
const DEEDS = {
  add: { words: "add to a balance", means: "The amount is added to the balance." },
  take: { words: "take from a balance", means: "The amount is taken from the balance, no more than is available." },
  new: { words: "give a new balance", means: "The account gets a balance of its own for the amount." },
} as const;

type Deed = keyof typeof DEEDS;

export function AdjustDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const { balances, currency } = account;
  const known = useLoad(gateway.charging, []).value ?? { services: [], classes: [] };
  const [deed, setDeed] = useState<Deed>("add");
  const [bucket, setBucket] = useState(MAIN);
  const [amount, setAmount] = useState("");
  const [terms, setTerms] = useState<NewTerms>(NO_TERMS);
  const [reference, setReference] = useState(newReference);
  const isNew = deed === "new";
  const unit = isNew ? terms.unit : (balances.find((each) => each.bucket === bucket)?.unit ?? "money");
  const exact = unit === "octets" ? typedOctets(amount) : amount.trim();
  const adjust = async (because: string) => {
    const of = { amount: deed === "take" ? `-${exact}` : exact, reference: reference.trim(), because };
    const moved = await gateway.adjust(name, isNew ? { ...of, new: newBalanceOf(terms) } : { ...of, bucket });
    say(movedInWords(`${exactly(exact, unit, currency)} ${deed === "take" ? "taken" : "added"}`, moved));
    onDone();
  };
  return (
    <ReasonDialog
      title={`Adjust account ${account.account}`}
      onClose={onClose}
      word="Adjust"
      busyWord="Adjusting…"
      look={deed === "take" ? "grave" : "main"}
      isReady={amount.trim() !== "" && reference.trim() !== ""}
      deed={orRequested(adjust, onDone)}
      fields={
        <>
          <SelectField label="What to do" value={deed} onValue={(value) => setDeed(value as Deed)}>
            {Object.entries(DEEDS).map(([each, { words }]) => (
              <option key={each} value={each}>
                {words}
              </option>
            ))}
          </SelectField>
          {isNew ? (
            <NewBalanceFields terms={terms} onTerms={setTerms} known={known} currency={currency} />
          ) : (
            balances.length > 1 && (
              <SelectField label="Balance" value={bucket} onValue={(value) => setBucket(Number(value))}>
                {balances.map((each) => (
                  <option key={each.bucket} value={each.bucket}>
                    {balanceName(each)}
                  </option>
                ))}
              </SelectField>
            )
          )}
          <TextField
            label={`Amount in ${unit === "money" ? currency : unit}`}
            value={amount}
            onValue={setAmount}
            inputMode={unit === "octets" ? "text" : unit === "money" ? "decimal" : "numeric"}
            placeholder={PLACEHOLDERS[unit]}
            isRequired
            help={unit === "octets" && /^\d+$/.test(exact) ? exactly(exact, unit, currency) : undefined}
          />
          <ReferenceField of="request" value={reference} onValue={setReference} />
        </>
      }
    >
      {DEEDS[deed].means}
    </ReasonDialog>
  );
}

const PLACEHOLDERS: Record<AmountUnit, string> = { money: "12.50", octets: "5 GB", seconds: "3600", events: "100" };
