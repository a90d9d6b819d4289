/** Reverses an entry: the amount goes back to where it came from. */
import { gateway } from "../api/gateway";
import type { HistoryEntry } from "../api/types";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import { exactly } from "./amounts";
import type { AccountDialogProps } from "./dialog-props";
import { orRequested } from "./requested";
import { balanceInWords, movedInWords, purposeOf } from "./words";

export function ReverseDialog({ account, name, entry, onClose, onDone }: AccountDialogProps & { entry: HistoryEntry }) {
  const isTaken = entry.amount.startsWith("-");
  const amount = exactly(entry.amount.replace(/^-/, ""), entry.unit, account.currency);
  const reverse = async (because: string) => {
    say(movedInWords(`Entry ${entry.entry} is reversed`, await gateway.reverseEntry(name, entry.entry, because)));
    onDone();
  };
  return (
    <ReasonDialog
      title={`Reverse entry ${entry.entry}?`}
      onClose={onClose}
      word="Reverse"
      busyWord="Reversing…"
      look="grave"
      deed={orRequested(reverse, onDone)}
    >
      {isTaken
        ? `The account gets ${amount} back, which it paid for: ${purposeOf(entry)}.`
        : `${amount} is taken from the account, which it got by: ${purposeOf(entry)}; ${balanceInWords(entry.bucket)} may be overdrawn by it.`}{" "}
      {isTaken &&
        entry.system === "bundle" &&
        "It is given back after what the bundle gave: reverse the entries of its balances first. "}
      An entry is reversed once.
    </ReasonDialog>
  );
}
