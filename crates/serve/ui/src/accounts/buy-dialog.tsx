/** Sells a bundle of `charging.toml` to an account. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { BundleOnSale } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { SelectField } from "../parts/field";
import { useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { Await } from "../parts/page";
import { Moment } from "../parts/time";
import { inWords } from "./amounts";
import type { AccountDialogProps } from "./dialog-props";
import { newReference } from "./reference";
import { ReferenceField } from "./reference-field";

export function BuyDialog({ account, name, onClose, onDone }: AccountDialogProps) {
  const bundles = useLoad(async () => (await gateway.charging()).bundles, []);
  const [chosen, setChosen] = useState<string | null>(null);
  const [reference, setReference] = useState(newReference);
  const bundle = bundles.value?.find((each) => each.bundle === chosen) ?? bundles.value?.[0];
  const buy = async () => {
    const bought = await gateway.buyBundle(name, { bundle: bundle!.bundle, reference: reference.trim() });
    const done = bought.repeated ? "was bought before: nothing is changed" : "is bought";
    say(`${bought.bundle} ${done}. The main balance is ${bought.balance} ${bought.currency}.`);
    onDone();
  };
  return (
    <AskDialog
      title={`Buy a bundle for account ${account.account}`}
      onClose={onClose}
      answers={[
        {
          word: "Buy",
          busyWord: "Buying…",
          isReady: bundle !== undefined && reference.trim() !== "",
          deed: buy,
        },
      ]}
    >
      <Await loaded={bundles}>
        {(all) =>
          all.length === 0 ? (
            <p>
              There are no bundles. Write a table <code>[bundles.NAME]</code> in <code>charging.toml</code>.
            </p>
          ) : (
            <>
              <SelectField label="Bundle" value={bundle?.bundle ?? ""} onValue={setChosen}>
                {all.map((each) => (
                  <option key={each.bundle} value={each.bundle}>
                    {each.bundle}
                  </option>
                ))}
              </SelectField>
              {bundle !== undefined && <Terms bundle={bundle} currency={account.currency} />}
              <ReferenceField of="request" value={reference} onValue={setReference} />
            </>
          )
        }
      </Await>
    </AskDialog>
  );
}

function Terms({ bundle, currency }: { bundle: BundleOnSale; currency: string }) {
  const { gives, price, renews, rolls_over, until } = bundle;
  const scopes = [...bundle.services, ...bundle.classes];
  return (
    <dl className="facts">
      <dt>Price</dt>
      <dd>
        {price} {currency}, from the main balance
      </dd>
      <dt>Gives</dt>
      <dd>
        {gives.map(({ amount, unit }) => inWords(amount, unit, currency)).join(", ")}
        {scopes.length > 0 && ` for ${scopes.join(", ")}`}
      </dd>
      <dt>Until</dt>
      <dd>
        {until == null ? "it is used up" : <Moment at={until} />}
        {renews && "; then it is bought again"}
        {rolls_over && ", and what is left can be used once more"}
      </dd>
    </dl>
  );
}
