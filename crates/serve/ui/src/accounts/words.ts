/** Accounts, their balances and entries in words. */
import { sentence } from "../api/client";
import type { AccountBalance, AccountStanding, HistoryEntry, Moved } from "../api/types";
import { exactly } from "./amounts";

/** The stages of an account's life: the mark of each, and what it means. */
export const STANDINGS: Record<AccountStanding, { mark: string; means: string }> = {
  "pre-active": { mark: "warning", means: "It was not used yet." },
  active: { mark: "fine", means: "It is in use." },
  grace: { mark: "minor", means: "It is in use for what costs nothing more." },
  suspended: { mark: "major", means: "It is blocked, and may be refilled." },
  closed: { mark: "quiet", means: "It is no longer there for the subscriber." },
};

/** The number of the main balance. */
export const MAIN = 0;

/** Returns the name of a balance: its bundle, what it is for, and its number if it is not the main one. */
export function balanceName({
  bucket,
  offer,
  services,
  classes,
}: Pick<AccountBalance, "bucket" | "offer" | "services" | "classes">) {
  if (bucket === MAIN) return "Main balance";
  const scopes = [...services, ...classes];
  return `${bucketName(bucket, offer)}${scopes.length === 0 ? "" : ` for ${scopes.join(", ")}`}`;
}

/** Returns the number of a balance, with its bundle if it is of one. */
export const bucketName = (bucket: number, offer: string | null | undefined) =>
  `Balance ${bucket}${offer == null ? "" : ` (${offer})`}`;

/** Returns whether an entry is what a network refunded: a usage that is charged has a session. */
export const isRefund = ({ charged, session }: Pick<HistoryEntry, "charged" | "session">) =>
  charged != null && session == null;

/** Returns what an entry is for. */
export function purposeOf(entry: HistoryEntry): string {
  const { amount, bucket_offer, charged, offer, remark, system } = entry;
  if (remark?.reverses != null) return `reversal of entry ${remark.reverses}`;
  if (offer != null) return `${system} ${offer}`;
  if (charged != null)
    return `${isRefund(entry) ? "refund of " : ""}${isOrphan(entry) ? "not charged: " : ""}${charged.service}${charged.other === "" ? "" : ` to ${charged.other}`}`;
  if (remark?.record != null) {
    const { service = "", other = "" } = remark.record;
    return `${service === "" ? "record" : service}${other === "" ? "" : ` to ${other}`}`;
  }
  const [from, to] = remark?.accounts ?? [];
  if (remark?.kind === "transfer" && from !== undefined && to !== undefined)
    return amount.startsWith("-") ? `transfer to account ${to}` : `transfer from account ${from}`;
  if (remark?.voucher != null) return `voucher ${remark.voucher.serial}`;
  if (remark != null && remark.kind !== "") return remark.kind;
  return bucket_offer == null ? system : `${system}, of ${bucket_offer}`;
}

/** Returns who made an entry: a user, a client of the network, or the system itself. */
export function makerOf({ charged, remark, session }: HistoryEntry): string {
  if (remark?.who != null && remark.who !== "") return remark.who;
  if (charged != null && charged.client !== "") return charged.client;
  return session == null ? "the system" : "the network";
}

/** Returns whether an entry can be reversed. A transfer goes back by another transfer, and what was not charged does not. */
export const isReversible = (entry: HistoryEntry) =>
  entry.remark?.reverses == null && entry.system !== "transfer" && !isOrphan(entry);

/** Returns whether an entry is of a session that is not known, and so not charged. */
export const isOrphan = ({ system }: HistoryEntry) => system === "orphan";

/** Returns the reversal of an entry among others, or undefined. */
export const reversalOf = (entry: HistoryEntry, entries: readonly HistoryEntry[]) =>
  entries.find(({ remark }) => remark?.reverses === entry.entry);

/** Returns the name of a balance within a sentence. */
export const balanceInWords = (bucket: number) => (bucket === MAIN ? "the main balance" : `balance ${bucket}`);

/** Describes what an operation did to the balance that it changed. */
export function movedInWords(what: string, moved: Moved): string {
  const { balance, bonuses, bucket, currency, entry, repeated, unit } = moved;
  const is = sentence(`${balanceInWords(bucket)} is ${exactly(balance, unit, currency)}${repeated ? "" : " now"}`);
  if (repeated) return `This was done before, as entry ${entry}: nothing is changed. ${is}`;
  const given = bonuses.map(({ amount, bonus, unit: of }) => ` Bonus ${bonus}: ${exactly(amount, of, currency)}.`);
  return `${what}. ${is}${given.join("")}`;
}
