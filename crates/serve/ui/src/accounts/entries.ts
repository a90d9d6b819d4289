/** All entries of all accounts, page by page, as the CSV of `tollgate ledger export`. */
import type { ExportedEntry } from "../api/types";

/** The last entry of a page; the next page begins behind it. */
export interface After {
  after_account: number;
  after_entry: number;
}

export const HEAD = "account,entry,at,unit,balance,amount,balance after,system\r\n";

/** Returns the lines of entries. None of their values has a comma. */
export const linesOf = (entries: readonly ExportedEntry[]) =>
  entries
    .map(({ account, entry, at, unit, bucket, amount, balance, system }) =>
      [account, entry, at, unit, bucket, amount, balance, system].join(","),
    )
    .join("\r\n") + "\r\n";

/** Asks for pages until one is empty: a short one need not be the last. */
export async function* pagesOf(ask: (after: After) => Promise<{ entries: ExportedEntry[] }>) {
  let after = { after_account: 0, after_entry: 0 };
  for (;;) {
    const { entries } = await ask(after);
    const last = entries.at(-1);
    if (last === undefined) return;
    yield entries;
    after = { after_account: last.account, after_entry: last.entry };
  }
}
