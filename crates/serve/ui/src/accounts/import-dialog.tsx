/** Opens accounts for the subscribers of a CSV file, with their first amounts. */
import { useId, useState } from "react";

import { Refusal } from "../api/client";
import { gateway } from "../api/gateway";
import { AskDialog } from "../parts/ask-dialog";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";
import { mistakesInWords, parts, subscribersIn } from "./subscribers";

interface ImportProps {
  onClose: () => void;
  onImported: () => void;
}

/** What is left out of a file. */
const leftOut = (lines: number[]) =>
  `${counted(lines.length, "line")} left out, with the number of a line before: the first is line ${lines[0]}`;

export function ImportDialog({ onClose, onImported }: ImportProps) {
  const id = useId();
  const [file, setFile] = useState<File | null>(null);
  const bring = async () => {
    if (file === null) return;
    const { subscribers, repeated, mistakes } = subscribersIn(await file.text());
    // All of them are checked before the first account is opened.
    for (const part of parts(subscribers))
      mistakes.push(...((await gateway.importSubscribers(part, true)).mistakes ?? []));
    if (mistakes.length > 0) throw new Refusal(0, mistakesInWords(file.name, mistakes));
    const sum = { opened: 0, there: 0 };
    for (const part of parts(subscribers)) {
      const { opened, there } = await gateway.importSubscribers(part, false);
      sum.opened += opened;
      sum.there += there;
    }
    say(
      [
        `${counted(sum.opened, "account")} opened`,
        ...(sum.there === 0 ? [] : [`${counted(sum.there, "number")} had an account already`]),
        ...(repeated.length === 0 ? [] : [leftOut(repeated)]),
      ].join("; ") + ".",
    );
    onImported();
  };
  return (
    <AskDialog
      title="Import subscribers"
      onClose={onClose}
      answers={[{ word: "Import", busyWord: "Importing…", isReady: file !== null, deed: bring }]}
    >
      <p>Numbers that have an account are left as they are, so an import that was interrupted can be repeated.</p>
      <div className="field">
        <label htmlFor={id}>
          File<span className="required"> (required)</span>
        </label>
        <input
          id={id}
          type="file"
          accept=".csv,text/csv,text/plain"
          required
          aria-describedby={`${id}-help`}
          onChange={(event) => setFile(event.target.files?.[0] ?? null)}
        />
        <p id={`${id}-help`} className="help">
          CSV with the columns number and amount, and type if subscribers have one: 46701234567,100.00
        </p>
      </div>
    </AskDialog>
  );
}
