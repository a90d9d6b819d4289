/** The versions of a plan in a database: past, valid and coming. A version that is not valid yet can be withdrawn. */
import { useState } from "react";

import type { TariffVersion } from "../api/types";
import { Sublist } from "../parts/list";
import { useMay } from "../parts/session";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { Link } from "../router/router";
import { WithdrawDialog } from "./withdraw-dialog";

export const versionAddress = (plan: string, version: number) =>
  `/tariffs?plan=${encodeURIComponent(plan)}&version=${version}`;

export const firstAddress = (plan = "") =>
  `/tariffs?view=first${plan === "" ? "" : `&plan=${encodeURIComponent(plan)}`}`;

const STANDING: Record<TariffVersion["standing"], [string, string]> = {
  past: ["quiet", "was valid"],
  valid: ["fine", "valid now"],
  coming: ["warning", "to come"],
  withdrawn: ["quiet", "withdrawn"],
};

export function Standing({ standing }: { standing: TariffVersion["standing"] }) {
  const [look, words] = STANDING[standing];
  return <span className={`mark mark-${look}`}>{words}</span>;
}

interface PlanVersionsProps {
  plan: string;
  versions: TariffVersion[];
  onChanged: () => void;
}

export function PlanVersions({ plan, versions, onChanged }: PlanVersionsProps) {
  const mayChange = useMay("operator");
  const [withdrawn, setWithdrawn] = useState<TariffVersion | null>(null);
  const columns: Column<TariffVersion>[] = [
    {
      name: "Version",
      cell: ({ version, standing }) => (
        <>
          {version} <Standing standing={standing} />
        </>
      ),
      value: ({ version }) => version,
    },
    {
      name: "Valid from",
      cell: ({ valid_from, valid_to }) => (
        <>
          <Moment at={valid_from} />
          {valid_to != null && (
            <span className="below">
              until <Moment at={valid_to} />
            </span>
          )}
        </>
      ),
      value: ({ valid_from }) => valid_from,
    },
    {
      name: "Loaded",
      isWide: true,
      cell: ({ name, loaded, withdrawn }) => (
        <>
          “{name}”, <Moment at={loaded.at} /> by {loaded.who}: {loaded.reason}
          {withdrawn != null && (
            <span className="below">
              withdrawn <Moment at={withdrawn.at} /> by {withdrawn.who}: {withdrawn.reason}
            </span>
          )}
        </>
      ),
      value: ({ loaded }) => loaded.at,
    },
    {
      name: "What can be done",
      cell: (version) => (
        <span className="actions">
          <Link
            className="button"
            href={versionAddress(plan, version.version)}
            aria-label={`Look at it, version ${version.version} of ${plan}`}
          >
            Look at it
          </Link>
          {mayChange && version.standing === "coming" && (
            <button
              type="button"
              className="button"
              aria-label={`Withdraw version ${version.version} of ${plan}`}
              onClick={() => setWithdrawn(version)}
            >
              Withdraw…
            </button>
          )}
        </span>
      ),
    },
  ];
  return (
    <>
      <h3>Versions</h3>
      {versions.length === 0 ? (
        <>
          <p className="muted">It has none yet. Those after the first are made from its files.</p>
          {mayChange && (
            <p className="actions">
              <Link className="button button-main" href={firstAddress(plan)}>
                Begin with a first version
              </Link>
            </p>
          )}
        </>
      ) : (
        <>
          <Sublist
            label={`Versions of ${plan}`}
            columns={columns}
            rows={versions}
            rowKey={(version) => version.version}
            rowClass={(version) =>
              version.standing === "past" || version.standing === "withdrawn" ? "row-quiet" : undefined
            }
          />
          <p className="muted">
            A version is never changed. The next one is made from the files of any of them: look at it, and edit a copy.
          </p>
        </>
      )}
      {withdrawn !== null && (
        <WithdrawDialog
          plan={plan}
          version={withdrawn}
          onClose={() => setWithdrawn(null)}
          onDone={() => {
            setWithdrawn(null);
            onChanged();
          }}
        />
      )}
    </>
  );
}
