/** What a call would cost an account now, and how long it could last. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { AmountUnit, PriceEnquiry } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { SelectField, TextField } from "../parts/field";
import { lasting } from "../parts/lasting";
import { useLoad } from "../parts/load";
import { count } from "../parts/numbers";
import { visible } from "../parts/visible";
import { inWords, typedOctets } from "./amounts";
import type { AccountDialogProps } from "./dialog-props";
import { NumberField, ServiceField } from "./service-fields";
import { wholeNumber } from "./vouchers";
import { Steps } from "./why";

const UNITS: [AmountUnit, string][] = [
  ["seconds", "seconds"],
  ["octets", "octets"],
  ["events", "events"],
];

export function PriceDialog({ account, onClose }: Pick<AccountDialogProps, "account" | "onClose">) {
  const services = useLoad(async () => (await gateway.charging()).services, []).value ?? [];
  const [number, setNumber] = useState(account.numbers[0] ?? "");
  const [chosen, setService] = useState("");
  const [called, setCalled] = useState("");
  const [quantity, setQuantity] = useState("180");
  const [unit, setUnit] = useState<AmountUnit>("seconds");
  const [found, setFound] = useState<PriceEnquiry | null>(null);
  const service = chosen === "" ? (services[0] ?? "") : chosen;
  const whole = wholeNumber(unit === "octets" ? typedOctets(quantity) : quantity);
  const enquire = async () => {
    setFound(null);
    setFound(await gateway.price(number, { service, called: called.trim(), quantity: Number(whole), unit }));
  };
  return (
    <AskDialog
      title={`Price for account ${account.account}`}
      width="wide"
      onClose={onClose}
      answers={[
        {
          word: "Show the price",
          busyWord: "Looking…",
          isReady: service !== "" && number !== "" && whole !== null,
          deed: enquire,
        },
      ]}
    >
      <p>What a call would cost now, and how long it could last. Nothing is charged.</p>
      <div className="filters">
        <NumberField numbers={account.numbers} value={number} onValue={setNumber} />
        <ServiceField services={services} value={service} onValue={setService} />
        <TextField label="Called number" inputMode="tel" value={called} onValue={setCalled} placeholder="43123456" />
        <TextField label="How much" inputMode="numeric" value={quantity} onValue={setQuantity} isRequired />
        <SelectField label="Unit" value={unit} onValue={(value) => setUnit(value as AmountUnit)}>
          {UNITS.map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      {found !== null && <Found found={found} />}
    </AskDialog>
  );
}

function Found({ found }: { found: PriceEnquiry }) {
  const { price, currency, charged } = found;
  return (
    <section aria-label="The price" role="status">
      <dl className="facts">
        <dt>Usage</dt>
        <dd>
          {charged.used} of {charged.service}
          {charged.other !== "" && ` to ${visible(charged.other)}`}
        </dd>
        <dt>Price</dt>
        <dd>
          <strong>
            {price} {currency}
          </strong>
        </dd>
        {charged.paid_by_balances > 0 && (
          <>
            <dt>Paid by balances</dt>
            <dd>{count(charged.paid_by_balances)} units of it</dd>
          </>
        )}
        <dt>Could use</dt>
        <dd>{affordableInWords(found)}</dd>
      </dl>
      <Steps label="Steps to the price" steps={charged.steps} />
    </section>
  );
}

function affordableInWords({ affordable, affordable_unit, free, refused, currency }: PriceEnquiry): string {
  if (refused != null) return `nothing: ${refused.text}`;
  if (free) return "as much as it wants: the service costs nothing";
  const exact = inWords(String(affordable), affordable_unit, currency);
  return affordable_unit === "seconds" ? `${exact} (${lasting(affordable)})` : exact;
}
