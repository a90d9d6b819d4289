/** A dialog for actions that need a reason. The reason goes to the audit trail. */
import { type ReactNode, useState } from "react";

import { type Answer, AskDialog } from "./ask-dialog";
import { TextField } from "./field";

interface ReasonProps extends Pick<Answer, "word" | "busyWord" | "look" | "isReady"> {
  title: string;
  /** Text that says what the action does. */
  children: ReactNode;
  /** Other input, before the reason. */
  fields?: ReactNode;
  /** The reason at the beginning. */
  initial?: string;
  deed: (because: string) => Promise<void>;
  onClose: () => void;
}

export function ReasonDialog({
  title,
  children,
  fields,
  initial = "",
  deed,
  onClose,
  isReady = true,
  ...answer
}: ReasonProps) {
  const [because, setBecause] = useState(initial);
  return (
    <AskDialog
      title={title}
      onClose={onClose}
      answers={[{ ...answer, isReady: isReady && because.trim() !== "", deed: () => deed(because.trim()) }]}
    >
      <p>{children}</p>
      {fields}
      <TextField label="Reason" value={because} onValue={setBecause} isRequired help="Whoever audits this reads it." />
    </AskDialog>
  );
}
