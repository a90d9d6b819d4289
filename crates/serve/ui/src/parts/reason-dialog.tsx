/** A dialog for actions that need a reason. The reason goes to the audit trail. */
import { type ReactNode, useState } from "react";

import { type Answer, AskDialog } from "./ask-dialog";
import { Failure } from "./failure";
import { TextField } from "./field";
import type { Loaded } from "./load";

interface ReasonProps extends Pick<Answer, "word" | "busyWord" | "look" | "isReady"> {
  title: string;
  /** Text that says what the action does. */
  children: ReactNode;
  /** Other input, before the reason. */
  fields?: ReactNode;
  /** What the fields need. Until it is there, nothing can be answered. */
  needs?: Loaded<unknown>;
  /** The reason at the beginning. */
  initial?: string;
  deed: (because: string) => Promise<void>;
  onClose: () => void;
}

export function ReasonDialog({
  title,
  children,
  fields,
  needs,
  initial = "",
  deed,
  onClose,
  isReady = true,
  ...answer
}: ReasonProps) {
  const [because, setBecause] = useState(initial);
  const mayAnswer = isReady && needs?.value !== null && because.trim() !== "";
  return (
    <AskDialog
      title={title}
      onClose={onClose}
      answers={[{ ...answer, isReady: mayAnswer, deed: () => deed(because.trim()) }]}
    >
      <p>{children}</p>
      {needs != null && needs.problem !== null ? <Failure problem={needs.problem} again={needs.again} /> : fields}
      <TextField label="Reason" value={because} onValue={setBecause} isRequired help="The audit trail shows it." />
    </AskDialog>
  );
}
