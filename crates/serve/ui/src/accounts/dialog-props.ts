/** What every dialog about an account gets. */
import type { PrepaidAccount } from "../api/types";

export interface AccountDialogProps {
  account: PrepaidAccount;
  /** The name for requests, which stays when numbers change. */
  name: string;
  onClose: () => void;
  onDone: () => void;
}
