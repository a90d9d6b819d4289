/** Before something that cannot be taken back. */
import type { ReactNode } from "react";

import { Dialog } from "../parts/dialog";
import { useDeed } from "../parts/load";

interface SureProps {
  title: string;
  word: string;
  children: ReactNode;
  onClose: () => void;
  onSure: () => Promise<void>;
}

export function SureDialog({ title, word, children, onClose, onSure }: SureProps) {
  const deed = useDeed();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => deed.run(onSure)}
      problem={deed.problem}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button-grave" disabled={deed.isBusy}>
            {word}
          </button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
