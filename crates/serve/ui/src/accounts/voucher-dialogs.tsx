/** Makes a batch of vouchers, lets its vouchers be used, and blocks them. */
import { useState } from "react";

import { Refusal } from "../api/client";
import { type SerialRange, gateway } from "../api/gateway";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import { keepMade } from "./made-vouchers";
import { utcOf } from "./new-balance-fields";
import { changedInWords, isOfBatch, wholeNumber } from "./vouchers";

interface VoucherDialogProps {
  onClose: () => void;
  onDone: () => void;
}

interface BatchProps {
  value: string;
  onValue: (value: string) => void;
  help?: string;
}

const BatchField = (of: BatchProps) => <TextField label="Batch" inputMode="numeric" isRequired {...of} />;

export function MakeVouchersDialog({ currency, onClose, onDone }: VoucherDialogProps & { currency: string }) {
  const [batch, setBatch] = useState("");
  const [many, setMany] = useState("");
  const [amount, setAmount] = useState("");
  const [until, setUntil] = useState("");
  const make = async (because: string) => {
    const number = Number(wholeNumber(batch));
    const of = { batch: number, count: Number(wholeNumber(many)), amount: amount.trim(), until: utcOf(until), because };
    const { vouchers } = await gateway.makeVouchers(of);
    keepMade({ batch: number, vouchers, isSaved: false });
    onDone();
  };
  return (
    <ReasonDialog
      title="Make vouchers"
      onClose={onClose}
      word="Make"
      busyWord="Making…"
      isReady={wholeNumber(batch) !== null && wholeNumber(many) !== null && amount.trim() !== "" && until !== ""}
      deed={make}
      fields={
        <>
          <BatchField value={batch} onValue={setBatch} help="A number that no batch has yet." />
          <TextField
            label="How many"
            value={many}
            onValue={setMany}
            inputMode="numeric"
            placeholder="1000"
            isRequired
            help="100,000 at most."
          />
          <TextField
            label={`Amount in ${currency}`}
            value={amount}
            onValue={setAmount}
            inputMode="decimal"
            placeholder="100.00"
            isRequired
            help="What each is worth."
          />
          <TextField label="Until (UTC)" type="datetime-local" value={until} onValue={setUntil} isRequired />
        </>
      }
    >
      The vouchers get serial numbers and PINs. The PINs are shown once, when they are made. The vouchers can be used
      once their batch is activated.
    </ReasonDialog>
  );
}

export function ActivateVouchersDialog({ onClose, onDone }: VoucherDialogProps) {
  const [batch, setBatch] = useState("");
  const activate = async (because: string) => {
    const number = Number(wholeNumber(batch));
    const { changed } = await gateway.activateVouchers(number, because);
    say(changedInWords(changed, number, "activated"));
    onDone();
  };
  return (
    <ReasonDialog
      title="Activate a batch"
      onClose={onClose}
      word="Activate"
      busyWord="Activating…"
      isReady={wholeNumber(batch) !== null}
      deed={activate}
      fields={<BatchField value={batch} onValue={setBatch} />}
    >
      All vouchers of the batch can be used, except those that are blocked.
    </ReasonDialog>
  );
}

/** The vouchers that a dialog begins with. */
export interface Blockable {
  batch: string;
  serial: string;
}

export function BlockVouchersDialog({ of, onClose, onDone }: VoucherDialogProps & { of: Blockable | null }) {
  const [batch, setBatch] = useState(of?.batch ?? "");
  const [first, setFirst] = useState(of?.serial ?? "");
  const [last, setLast] = useState(of?.serial ?? "");
  const block = async (because: string) => {
    const number = Number(wholeNumber(batch));
    const { changed } = await gateway.blockVouchers(number, rangeOf(number, first, last), because);
    say(changedInWords(changed, number, "blocked"));
    onDone();
  };
  return (
    <ReasonDialog
      title="Block vouchers"
      onClose={onClose}
      word="Block"
      busyWord="Blocking…"
      look="grave"
      isReady={wholeNumber(batch) !== null}
      deed={block}
      fields={
        <>
          <BatchField value={batch} onValue={setBatch} />
          <TextField label="First serial number" value={first} onValue={setFirst} inputMode="numeric" />
          <TextField
            label="Last serial number"
            value={last}
            onValue={setLast}
            inputMode="numeric"
            help="Leave both empty to block the whole batch."
          />
        </>
      }
    >
      They cannot be used any more. What was used stays with its account.
    </ReasonDialog>
  );
}

/** Reads the bounds of a range. The gateway would take a bound outside of the batch for its end. */
export function rangeOf(batch: number, first: string, last: string): SerialRange {
  const bound = (name: keyof SerialRange, text: string): SerialRange => {
    if (text.trim() === "") return {};
    const serial = wholeNumber(text);
    if (serial === null) throw new Refusal(0, `"${text.trim()}" is no serial number: digits are expected.`);
    if (!isOfBatch(serial, batch)) throw new Refusal(0, `The serial number ${serial} is not one of batch ${batch}.`);
    return { [name]: serial };
  };
  const range = { ...bound("first", first), ...bound("last", last) };
  if (range.first !== undefined && range.last !== undefined && range.first > range.last)
    throw new Refusal(0, "The first serial number is behind the last.");
  return range;
}
