/** Ends a session by hand. */
import { gateway } from "../api/gateway";
import type { OpenSession } from "../api/types";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import type { AccountDialogProps } from "./dialog-props";

interface EndSessionProps extends Pick<AccountDialogProps, "name" | "onClose" | "onDone"> {
  session: OpenSession;
}

export function EndSessionDialog({ name, session, onClose, onDone }: EndSessionProps) {
  const end = async (because: string) => {
    await gateway.endSession(name, session.session, because);
    say("The session is ended, and what was reserved for it is available.");
    onDone();
  };
  return (
    <ReasonDialog
      title={`End this session of ${session.services.join(", ") || "the account"}?`}
      onClose={onClose}
      word="End"
      busyWord="Ending…"
      look="grave"
      deed={end}
    >
      What is reserved for it becomes available. The network learns of it with its next request.
    </ReasonDialog>
  );
}
