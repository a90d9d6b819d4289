/** Removes the entries of a key from a list, with a reason that goes to the audit trail. */
import { gateway } from "../api/gateway";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import { visible } from "../parts/visible";
import type { NamedList } from "./add-entry-dialog";

interface RemoveProps {
  list: NamedList;
  /** The key, as the list has it. */
  of: string;
  onClose: () => void;
  onDone: () => void;
}

export function RemoveEntryDialog({ list: { name, node }, of, onClose, onDone }: RemoveProps) {
  const remove = async (because: string) => {
    await gateway.removeFromFraudList(name, { node, key: of, because });
    say(`${visible(of)} is removed from the list ${visible(name)}.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Remove from ${visible(name)}?`}
      onClose={onClose}
      word="Remove"
      busyWord="Removing…"
      look="grave"
      deed={remove}
    >
      All entries of <span className="fixed break">{visible(of)}</span> are removed. Rules go by that a moment later.
    </ReasonDialog>
  );
}
