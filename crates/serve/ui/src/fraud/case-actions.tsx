/** The actions about a key, and what is done with them. */
import { useMemo, useState } from "react";

import type { ActionStop, WholeFraudCase } from "../api/types";
import { Sublist } from "../parts/list";
import { useMay, useSession } from "../parts/session";
import { caseActionColumns } from "./action-columns";
import { ActionDialog, type MeantActions } from "./action-dialog";
import { Stopped } from "./stop-actions";

interface CaseActionsProps {
  of: Pick<WholeFraudCase, "actions">;
  stopped: ActionStop | null;
  again: () => void;
}

export function CaseActions({ of: { actions }, stopped, again }: CaseActionsProps) {
  const mayChange = useMay("operator");
  const { name: me } = useSession().session;
  const [meant, setMeant] = useState<MeantActions | null>(null);
  const columns = useMemo(
    () => caseActionColumns(me, mayChange, (deed, action) => setMeant({ deed, actions: [action] })),
    [me, mayChange],
  );
  return (
    <section className="section">
      <h2>Actions about this key</h2>
      <Stopped stopped={stopped} again={again} />
      {actions.length === 0 ? (
        <p className="muted">None was requested.</p>
      ) : (
        <Sublist label="Actions" columns={columns} rows={actions} rowKey={({ id }) => id} />
      )}
      {meant !== null && (
        <ActionDialog
          meant={meant}
          onClose={() => setMeant(null)}
          onDone={() => {
            setMeant(null);
            again();
          }}
        />
      )}
    </section>
  );
}
