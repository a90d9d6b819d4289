/** A new person: a name, a role, and then a link to send. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Role } from "../api/types";
import { Dialog } from "../parts/dialog";
import { SelectField, TextField } from "../parts/field";
import { useDeed } from "../parts/load";
import { ROLES } from "./roles";

export function InviteDialog({
  onClose,
  onLink,
}: {
  onClose: () => void;
  onLink: (name: string, link: string) => void;
}) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("operator");
  const deed = useDeed();
  const invite = () => deed.run(async () => onLink(name.trim(), (await gateway.invite(name.trim(), role)).link));
  return (
    <Dialog
      title="Invite somebody"
      onClose={onClose}
      onSubmit={invite}
      problem={deed.problem}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button-main" disabled={deed.isBusy || name.trim() === ""}>
            Make a link
          </button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onValue={setName}
        isRequired
        autoFocus
        help="What the person logs in with, and what the trail tells."
      />
      <SelectField label="Role" value={role} onValue={(value) => setRole(value as Role)}>
        {ROLES.map(([each, words]) => (
          <option key={each} value={each}>
            {each}: {words}
          </option>
        ))}
      </SelectField>
    </Dialog>
  );
}
