/** Places a trial call: what is called, for how long, and how fast. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { SelectField, TextField } from "../parts/field";
import { useLoad } from "../parts/load";
import { ReasonDialog } from "../parts/reason-dialog";
import type { AccountDialogProps } from "./dialog-props";
import { NumberField, ServiceField } from "./service-fields";
import { SPEEDS, type TrialPlan } from "./trial";
import { wholeNumber } from "./vouchers";

export function TrialDialog({ account, onClose, onPlace }: TrialDialogProps) {
  const services = useLoad(async () => (await gateway.charging()).services, []).value ?? [];
  const [number, setNumber] = useState(account.numbers[0] ?? "");
  const [service, setService] = useState("");
  const [called, setCalled] = useState("");
  const [seconds, setSeconds] = useState("180");
  const [every, setEvery] = useState("60");
  const [speed, setSpeed] = useState(String(SPEEDS[0]![0]));
  const [duration, interval] = [Number(wholeNumber(seconds)), Number(wholeNumber(every))];
  const plan = {
    number,
    service: service === "" ? (services[0] ?? "") : service,
    called: called.trim(),
    seconds: duration,
    every: interval,
    speed: Number(speed),
  };
  return (
    <ReasonDialog
      title="Place a trial call"
      onClose={onClose}
      word="Place the call"
      isReady={plan.service !== "" && number !== "" && duration > 0 && interval > 0}
      initial="a trial call"
      deed={async (because) => onPlace({ ...plan, because })}
      fields={
        <>
          <NumberField numbers={account.numbers} value={number} onValue={setNumber} />
          <ServiceField services={services} value={plan.service} onValue={setService} />
          <TextField
            label="Called number"
            inputMode="tel"
            value={called}
            onValue={setCalled}
            placeholder="46812345678"
          />
          <TextField label="Duration in seconds" inputMode="numeric" value={seconds} onValue={setSeconds} isRequired />
          <TextField
            label="Seconds between reports"
            inputMode="numeric"
            value={every}
            onValue={setEvery}
            isRequired
            help="So much is requested at once."
          />
          <SelectField label="How fast" value={speed} onValue={setSpeed}>
            {SPEEDS.map(([each, name]) => (
              <option key={each} value={String(each)}>
                {name}
              </option>
            ))}
          </SelectField>
        </>
      }
    >
      <strong>This is a real charge:</strong> the account pays for the call. Its page shows how the reservation moves.
      Reverse the entries if the subscriber shall not pay.
    </ReasonDialog>
  );
}

interface TrialDialogProps extends Pick<AccountDialogProps, "account" | "onClose"> {
  onPlace: (plan: TrialPlan) => void;
}
