/** Vouchers in words, and their serial numbers, which begin with the batch. */
import type { NewVoucher, UsedVoucher, Voucher } from "../api/types";
import { exported } from "../parts/export";
import { count, counted } from "../parts/numbers";

/** What may have become of a voucher: the mark of each, and what it means. */
const STATES: Record<string, { mark: string; means: string }> = {
  generated: { mark: "minor", means: "It is made, and can be used once its batch is activated." },
  active: { mark: "fine", means: "It can be used." },
  used: { mark: "quiet", means: "An account got its amount." },
  blocked: { mark: "major", means: "It cannot be used." },
  expired: { mark: "quiet", means: "It was not used in its time." },
};

export const stateOf = ({ state }: Pick<Voucher, "state">) => STATES[state] ?? { mark: "quiet", means: "" };

/** Returns a whole number that was typed, perhaps in groups of digits, or null for another text. */
export function wholeNumber(text: string): bigint | null {
  const digits = text.replace(/[\s,]/g, "");
  return /^\d+$/.test(digits) ? BigInt(digits) : null;
}

/** Returns the digits of a PIN, which is printed in groups. */
export const plainPin = (text: string) => text.replace(/[\s-]/g, "");

const BATCH_BITS = 32n;

/** Returns whether a serial number is one of a batch. */
export const isOfBatch = (serial: bigint, batch: number) => serial >> BATCH_BITS === BigInt(batch);

/** Returns the file for the printer. Its columns are those of `tollgate voucher make`. */
export const printed = (vouchers: readonly NewVoucher[]) =>
  exported(
    "csv",
    [
      { name: "serial", cell: () => null, value: ({ serial }) => serial },
      { name: "pin", cell: () => null, value: ({ pin }) => pin },
    ],
    vouchers,
  );

/** Describes how many vouchers of a batch have changed. */
export const changedInWords = (changed: number, batch: number, become: "activated" | "blocked") =>
  changed === 0
    ? `Nothing is changed: batch ${batch} has no such voucher that could be ${become}.`
    : `${counted(changed, "voucher")} of batch ${batch} ${changed === 1 ? "is" : "are"} ${become}.`;

export const usedInWords = ({ serial, amount, currency, repeated }: UsedVoucher) =>
  repeated
    ? `The account has got ${amount} ${currency} for voucher ${serial} before: nothing is changed.`
    : `${amount} ${currency} refilled with voucher ${serial}.`;

export const vouchersOf = (many: number, batch: number) =>
  `${count(many)} ${many === 1 ? "voucher" : "vouchers"} of batch ${batch}`;
