/** Gives open cases to a user, or to no one. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";
import { useMay, useSession } from "../parts/session";

interface AssignProps {
  cases: number[];
  /** The cases, in words for the title. */
  words: string;
  /** Users that are known to work on cases. */
  known: readonly string[];
  onClose: () => void;
  onDone: () => void;
}

export function AssignDialog({ cases, words, known, onClose, onDone }: AssignProps) {
  const { session } = useSession();
  const [user, setUser] = useState("");
  const all = useLoad(usePeople(), []).value ?? [];
  const give = (to: string | null) => async () => {
    say(assignedInWords((await gateway.assignFraud(cases, to)).changed, to));
    onDone();
  };
  return (
    <AskDialog
      title={`Assign ${words}`}
      onClose={onClose}
      answers={[
        { word: "Assign", isReady: user.trim() !== "", deed: give(user.trim()) },
        { word: "To no one", look: "plain", deed: give(null) },
      ]}
    >
      <TextField
        label="User"
        value={user}
        onValue={setUser}
        known={[...new Set([session.name, ...known, ...all])]}
        isRequired
        help="The name with which the user logs in. Only open cases are assigned."
      />
    </AskDialog>
  );
}

/** Returns a function that loads the names of users. Only administrators may list them. */
function usePeople(): () => Promise<string[]> {
  const mayList = useMay("administrator");
  return async () => (mayList ? (await gateway.people()).people.map(({ name }) => name) : []);
}

/** Says how many cases were assigned. A decided case stays as it is, as one that the user has already. */
export function assignedInWords(changed: number, to: string | null): string {
  const whom = to ?? "no one";
  return changed === 0
    ? `Nothing changed: no open case that ${whom} had not.`
    : `${counted(changed, "case")} assigned to ${whom}.`;
}
