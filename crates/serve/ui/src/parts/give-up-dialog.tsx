/** Asks before changes are discarded. */
import type { ReactNode } from "react";

import { Dialog } from "./dialog";

interface GiveUpProps {
  /** Text that says what is lost. */
  children: ReactNode;
  onGivenUp: () => void;
  onClose: () => void;
}

export function GiveUpDialog({ children, onGivenUp, onClose }: GiveUpProps) {
  return (
    <Dialog
      title="Give up your changes?"
      onClose={onClose}
      onSubmit={onGivenUp}
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
      <p>{children}</p>
    </Dialog>
  );
}
