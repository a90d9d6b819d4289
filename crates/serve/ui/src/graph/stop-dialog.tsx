/** Asks before the changes of the graph are discarded. */
import { GiveUpDialog } from "../parts/give-up-dialog";
import { keep } from "./editing";

export function StopDialog({ onClose }: { onClose: () => void }) {
  const stop = () => {
    keep(null);
    onClose();
  };
  return (
    <GiveUpDialog onClose={onClose} onGivenUp={stop}>
      They are in no version. Save them first if you may need them.
    </GiveUpDialog>
  );
}
