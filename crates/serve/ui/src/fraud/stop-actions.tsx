/** The switch that stops all actions, and what shows that they are stopped. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { ActionStop } from "../api/types";
import { Icon } from "../parts/icons";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import { useMay } from "../parts/session";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";

interface StopProps {
  onClose: () => void;
  onDone: () => void;
}

export function StopDialog({ onClose, onDone }: StopProps) {
  const stop = async (reason: string) => {
    await gateway.stopActions(reason);
    say("All actions are stopped.");
    onDone();
  };
  return (
    <ReasonDialog
      title="Stop all actions?"
      onClose={onClose}
      word="Stop all actions"
      busyWord="Stopping…"
      look="grave"
      deed={stop}
    >
      No action is sent or undone until someone resumes them. What rules and people request meanwhile waits. What is
      being sent at this moment is not called back.
    </ReasonDialog>
  );
}

interface StoppedProps {
  stopped: ActionStop | null | undefined;
  again: () => void;
}

/** Says who stopped all actions, since when and why, as long as they are stopped. */
export function Stopped({ stopped, again }: StoppedProps) {
  const mayChange = useMay("operator");
  const [isResuming, setResuming] = useState(false);
  if (stopped == null) return null;
  const resume = async (reason: string) => {
    await gateway.resumeActions(reason);
    say("Actions are resumed.");
    setResuming(false);
    again();
  };
  return (
    <div className="failure stopped" role="status">
      <Icon name="warning" />
      <div>
        <p>
          <strong>All actions are stopped.</strong> None is sent or undone.
        </p>
        <p>
          {visible(stopped.who)}, <Moment at={stopped.since} /> (<Moment at={stopped.since} isAgo />
          ): {visible(stopped.because)}
        </p>
      </div>
      {mayChange && (
        <button type="button" className="button button-main" onClick={() => setResuming(true)}>
          Resume…
        </button>
      )}
      {isResuming && (
        <ReasonDialog
          title="Resume actions?"
          onClose={() => setResuming(false)}
          word="Resume"
          busyWord="Resuming…"
          deed={resume}
        >
          What waits to be sent or undone is sent at once.
        </ReasonDialog>
      )}
    </div>
  );
}
