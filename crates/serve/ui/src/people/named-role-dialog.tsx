/** Creates a user or a token: a name and a role. */
import { type ReactNode, useState } from "react";

import type { Role } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { SelectField, TextField } from "../parts/field";
import { ROLES } from "./roles";

interface NamedRoleProps {
  title: string;
  word: string;
  /** Help text about the name. */
  help: string;
  onClose: () => void;
  onNamed: (name: string, role: Role) => Promise<void>;
  /** Further fields. */
  children?: ReactNode;
}

export function NamedRoleDialog({ title, word, help, onClose, onNamed, children }: NamedRoleProps) {
  const [name, setName] = useState("");
  // The lowest role is the default.
  const [role, setRole] = useState<Role>(ROLES[0]![0]);
  const isReady = name.trim() !== "";
  return (
    <AskDialog title={title} onClose={onClose} answers={[{ word, isReady, deed: () => onNamed(name.trim(), role) }]}>
      <TextField label="Name" value={name} onValue={setName} isRequired help={help} />
      <SelectField label="Role" value={role} onValue={(value) => setRole(value as Role)}>
        {ROLES.map(([each, words]) => (
          <option key={each} value={each}>
            {each}: {words}
          </option>
        ))}
      </SelectField>
      {children}
    </AskDialog>
  );
}
