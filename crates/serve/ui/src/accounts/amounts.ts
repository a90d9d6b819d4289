/**
 * Amounts of accounts. They are texts of the API, and are shown as they are: a number of JavaScript has not all digits of
 * a large amount, and no exact hundredths.
 */
import type { AccountBalance, AmountUnit } from "../api/types";
import { count, octets } from "../parts/numbers";

/** Decimals of an amount, at most: money of the API is exact to a billionth. */
const DECIMALS = 9;

/** Returns an amount in billionths. An amount that cannot be read is 0. */
export function billionths(text: string): bigint {
  const [, sign, whole, rest = ""] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return 0n;
  const value = BigInt(whole + rest.padEnd(DECIMALS, "0"));
  return sign === "-" ? -value : value;
}

/** Returns whether an amount is not zero. */
export const isAny = (text: string) => billionths(text) !== 0n;

export function compareAmounts(one: string, other: string): number {
  const difference = billionths(one) - billionths(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

type Divisible = Pick<AccountBalance, "amount" | "given" | "reserved" | "available">;

/** Returns how a balance is divided, in percent of its bar, and whether more was used than was there. */
export function divided({ amount, given, reserved, available }: Divisible): {
  available: number;
  reserved: number;
  isOverdrawn: boolean;
} {
  const [all, held, free] = [billionths(amount), billionths(reserved), billionths(available)];
  // With a credit limit, more is available than the balance has. What is used of a bundle is the rest of its bar.
  const whole = [all, held + free, billionths(given ?? "0")].reduce((most, each) => (each > most ? each : most), 0n);
  const percent = (of: bigint) => (whole <= 0n || of <= 0n ? 0 : Number((of * 10_000n) / whole) / 100);
  return { available: percent(free), reserved: percent(held), isOverdrawn: all < 0n };
}

const UNIT_NAMES: Record<Exclude<AmountUnit, "money">, [one: string, many: string]> = {
  octets: ["octet", "octets"],
  seconds: ["second", "seconds"],
  events: ["event", "events"],
};

/** Returns an amount with its unit, with all digits: `5,000,000,000 octets`. */
export function exactly(amount: string, unit: AmountUnit, currency: string): string {
  if (unit === "money") return `${amount} ${currency}`;
  const [one, many] = UNIT_NAMES[unit];
  if (!/^-?\d+$/.test(amount)) return `${amount} ${many}`;
  return `${count(BigInt(amount))} ${amount === "1" ? one : many}`;
}

/** Returns an amount with its unit for reading: `5.0 GB`. Only octets are rounded. */
export function inWords(amount: string, unit: AmountUnit, currency: string): string {
  if (unit !== "octets" || !/^-?\d+$/.test(amount)) return exactly(amount, unit, currency);
  return amount.startsWith("-") ? `-${octets(Number(amount.slice(1)))}` : octets(Number(amount));
}

const PREFIXES = ["", "k", "M", "G", "T"];

/** Reads octets that a person types, such as `5 GB` or `1.5 MB`, as a whole number. Another text is returned as it is. */
export function typedOctets(text: string): string {
  const [, whole, rest = "", prefix = ""] = /^(\d+)(?:\.(\d+))?\s*(?:([kMGT]?)B)?$/i.exec(text.trim()) ?? [];
  const zeros = 3 * PREFIXES.findIndex((each) => each.toUpperCase() === prefix.toUpperCase());
  const decimals = rest.replace(/0+$/, "");
  if (whole === undefined || decimals.length > zeros) return text.trim();
  return String(BigInt(whole + decimals.padEnd(zeros, "0")));
}
