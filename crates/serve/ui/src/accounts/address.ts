/** The addresses of accounts: by a number of the subscriber, or by `#` and the number of the account. */

/** The fewest digits of a number that the command palette takes for a subscriber's. Shorter ones are mostly records. */
const DIGITS_MIN = 6;

/** Returns a number as the gateway stores it: digits alone. Other names stay: `sip:anna@example.org`. */
export function plainNumber(text: string): string {
  const trimmed = text.trim();
  return /^\+?[\d\s-]+$/.test(trimmed) ? trimmed.replace(/\D/g, "") : trimmed;
}

export const accountAddress = (name: string) => `/accounts/${encodeURIComponent(plainNumber(name))}`;

/** The name of an account that stays the same when its numbers change. */
export const ownName = (account: number | bigint) => `#${account}`;

/** The address of a voucher by its serial number. */
export const voucherAddress = (serial: number | bigint) => `/accounts?view=vouchers&serial=${serial}`;

/** The address of the messages of a session, a number or a peer of Diameter. A session has its key, or its Session-Id. */
export const messagesAddress = (of: { session: string } | { number: string } | { peer: string }) =>
  `/accounts?${new URLSearchParams({ view: "messages", ...of }).toString()}`;

/** Returns whether a text can be the name of an account. */
export function isAccountName(text: string): boolean {
  const name = plainNumber(text);
  return /^(#\d+|sip:.+)$/.test(name) || (/^\d+$/.test(name) && name.length >= DIGITS_MIN);
}
