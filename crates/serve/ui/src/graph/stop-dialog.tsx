/** Before changes are given up. */
import { Dialog } from "../parts/dialog";
import { keep } from "./editing";

export function StopDialog({ onClose }: { onClose: () => void }) {
  const stop = () => {
    keep(null);
    onClose();
  };
  return (
    <Dialog
      title="Give up your changes?"
      onClose={onClose}
      onSubmit={stop}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Go on editing
          </button>
          <button type="submit" className="button button-grave">
            Give them up
          </button>
        </>
      }
    >
      <p>They are in no version. Save them first if you may need them.</p>
    </Dialog>
  );
}
