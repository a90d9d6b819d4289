/** Lets a peer of Diameter in that was refused. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { RefusedPeer } from "../api/types";
import { SelectField } from "../parts/field";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import { visible } from "../parts/visible";

interface AllowPeerProps {
  peer: RefusedPeer;
  profiles: readonly string[];
  onClose: () => void;
  onDone: () => void;
}

export function AllowPeerDialog({ peer: { host, address }, profiles, onClose, onDone }: AllowPeerProps) {
  const [profile, setProfile] = useState("standard");
  const allow = async (because: string) => {
    await gateway.allowPeer(host, { profile, because });
    say(`${visible(host)} may connect from now on.`);
    onDone();
  };
  return (
    <ReasonDialog
      title={`Allow ${visible(host)}?`}
      onClose={onClose}
      word="Allow"
      busyWord="Allowing…"
      deed={allow}
      fields={
        <SelectField
          label="Profile"
          value={profile}
          onValue={setProfile}
          help="That of the peer's program; standard for any other."
        >
          {profiles.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
      }
    >
      <code>charging.toml</code> names this peer from then on, so that it may connect and charge any account. It tried
      from <span className="fixed">{visible(address)}</span>: a name alone proves nothing.
    </ReasonDialog>
  );
}
