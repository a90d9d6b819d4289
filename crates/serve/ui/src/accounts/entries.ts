/** All entries of all accounts, page by page, as the CSV of `tollgate ledger export`. */
import type { ExportedBooks, ExportedEntry } from "../api/types";
import { field } from "../parts/export";

/** The last entry of a page; the next page begins behind it. */
export interface After {
  after_account: number;
  after_entry: number;
}

/** The days of a period, in UTC. Empty: it is open. */
export interface Days {
  from: string;
  to: string;
}

export const HEAD =
  "account,entry,at,unit,balance,amount,balance after,system,currency,kind,by,reason,reference,session,service,number,other,offer\r\n";

/** Returns the bounds of a period that are given, for a request. */
export const boundsOf = ({ from, to }: Days) => ({
  ...(from === "" ? {} : { from }),
  ...(to === "" ? {} : { to }),
});

/** Returns the lines of a page. */
export const linesOf = ({ entries, currency }: ExportedBooks) =>
  entries.map((entry) => `${lineOf(entry, currency)}\r\n`).join("");

/** Returns the line of an entry. Only its texts may have commas, or be taken for formulas. */
function lineOf(
  { account, entry, at, unit, bucket, amount, balance, system, session, remark, service, offer }: ExportedEntry,
  currency: string,
): string {
  const { kind = "", who = "", because = "", reference = "", record } = remark ?? {};
  const reason = record == null ? because : `${record.file}:${record.line}`;
  const [name, served, other] =
    service == null ? [record?.service, record?.number, record?.other] : [service.name, service.served, service.other];
  return [
    ...[account, entry, at, unit, bucket, amount, balance, system, unit === "money" ? currency : ""],
    ...[kind, who, reason, reference].map(field),
    session ?? "",
    ...[name, served, other, offer].map((text) => field(text ?? "")),
  ].join(",");
}

/** Asks for pages until one is behind the last entry. A page without entries need not be the last. */
export async function* pagesOf(ask: (after: After) => Promise<ExportedBooks>) {
  let after = { after_account: 0, after_entry: 0 };
  for (;;) {
    const page = await ask(after);
    if (page.last == null) return;
    yield page;
    after = { after_account: page.last.account, after_entry: page.last.entry };
  }
}
