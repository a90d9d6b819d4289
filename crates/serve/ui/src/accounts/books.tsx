/** Checks the books, and sums and exports the entries of a period. */
import { type ReactNode, useEffect, useRef, useState } from "react";

import { gateway } from "../api/gateway";
import type { CheckedBooks } from "../api/types";
import { FORMATS, fileName, save } from "../parts/export";
import { Failure } from "../parts/failure";
import { Icon } from "../parts/icons";
import { useDeed } from "../parts/load";
import { say } from "../parts/notices";
import { count, counted } from "../parts/numbers";
import { type After, type Days, HEAD, boundsOf, linesOf, pagesOf } from "./entries";
import { PeriodSums } from "./period-sums";

export function Books({ children }: { /** The heading. */ children: ReactNode }) {
  const check = useDeed();
  const [checked, setChecked] = useState<CheckedBooks | null>(null);
  const [days, setDays] = useState<Days>({ from: "", to: "" });
  const { problem, isBusy, entries, start, cancel } = useExport(days);
  const checkNow = () =>
    check.run(async () => {
      setChecked(null);
      setChecked(await gateway.checkBooks());
    });
  return (
    <>
      <div className="section-head">
        <div className="actions">{children}</div>
        <span className="actions">
          <button type="button" className="button" disabled={check.isBusy} onClick={checkNow}>
            {check.isBusy ? "Checking…" : "Check the books"}
          </button>
        </span>
      </div>
      {check.problem !== null && <Failure problem={check.problem} again={checkNow} />}
      {checked !== null && <Checked books={checked} />}
      <PeriodSums days={days} onDays={setDays}>
        <button type="button" className="button" disabled={isBusy} onClick={start}>
          {isBusy ? "Exporting…" : "Export the entries"}
        </button>
      </PeriodSums>
      {problem !== null && <Failure problem={problem} again={start} />}
      <div role="status" aria-label="How far the export is">
        {isBusy && (
          <p>
            <progress aria-label="Entries that are read" /> {entriesInWords(entries)} so far.{" "}
            <button type="button" className="button" onClick={cancel}>
              Cancel
            </button>
          </p>
        )}
      </div>
    </>
  );
}

/** Loads the entries of a period, a page at a time, and saves them as a file. Another page of the interface ends it. */
function useExport(days: Days) {
  const { isBusy, problem, run } = useDeed();
  const [entries, setEntries] = useState(0);
  const isOver = useRef(false);
  const cancel = () => void (isOver.current = true);
  useEffect(() => cancel, []);
  const start = () =>
    run(async () => {
      isOver.current = false;
      setEntries(0);
      const texts = [HEAD];
      let sum = 0;
      const ask = (after: After) => gateway.entries({ ...after, ...boundsOf(days) });
      for await (const page of pagesOf(ask)) {
        if (isOver.current) return;
        texts.push(linesOf(page));
        sum += page.entries.length;
        setEntries(sum);
      }
      if (isOver.current) return;
      save(fileName("entries", "csv", new Date()), FORMATS.csv.type, ...texts);
      say(`${entriesInWords(sum)} exported.`);
    });
  return { isBusy, problem, entries, start, cancel };
}

const entriesInWords = (many: number) => (many === 1 ? "1 entry" : `${count(many)} entries`);

function Checked({ books: { accounts, entries, faults, fault_count } }: { books: CheckedBooks }) {
  const all = `${entriesInWords(entries)} of ${counted(accounts, "account")}`;
  if (fault_count === 0)
    return (
      <p className="remark remark-fine" role="status">
        {all}: the books are sound. Each balance is the sum of its entries, and all sums are zero.
      </p>
    );
  return (
    <div className="failure" role="alert">
      <Icon name="error" />
      <div>
        <p>
          {counted(fault_count, "fault")} in {all}:
        </p>
        <ul>
          {faults.map((fault, place) => (
            <li key={place}>{fault}</li>
          ))}
        </ul>
        {fault_count > faults.length && <p>and {count(fault_count - faults.length)} more.</p>}
      </div>
    </div>
  );
}
