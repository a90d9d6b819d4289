/** All versions of the flow: their authors and times, their changes, and a way back to each. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Version } from "../api/types";
import { useLive } from "../live/live";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { Icon } from "../parts/icons";
import { useDeed, useLoad, usePages } from "../parts/load";
import { say } from "../parts/notices";
import { Waiting } from "../parts/page";
import { useMay } from "../parts/session";
import { replayAddress } from "../replay/address";
import { Link } from "../router/router";
import { type Column, More, Table } from "../parts/table";
import { ReasonDialog } from "../parts/reason-dialog";
import { Moment } from "../parts/time";
import { ActivateDialog } from "./activate-dialog";
import { VersionChanges } from "./version-changes";

interface VersionsProps {
  onEdit: (version: number) => Promise<void>;
  onClose: () => void;
}

export function VersionsPanel({ onEdit, onClose }: VersionsProps) {
  const changes = useLive((live) => live.changes);
  const mayTry = useMay("operator");
  const [shown, setShown] = useState<Version | null>(null);
  const { rows, problem, again, hasMore, more } = usePages(
    async (before) => {
      const found = await gateway.versions({ before, limit: 50 });
      return { rows: found.versions, more: found.more };
    },
    (version) => version.version,
    [],
    [changes.versions, changes.flow],
  );
  const columns: Column<Version>[] = [
    {
      name: "Version",
      cell: (version) => (
        <>
          <button
            type="button"
            className="as-link"
            onClick={() => setShown(version)}
            aria-label={`Look at version ${version.version}`}
          >
            {version.version}
          </button>
          {version.active && (
            <span className="below">
              <span className="mark mark-fine">active</span>
            </span>
          )}
          {version.proposal != null && (
            <span className="below">
              <span className="mark">proposed</span>
            </span>
          )}
        </>
      ),
      value: ({ version }) => version,
      isDescendingFirst: true,
    },
    {
      name: "Remark",
      isWide: true,
      cell: ({ remark, who, at }) => (
        <>
          {remark === "" ? <span className="muted">No remark</span> : remark}
          <span className="below muted">
            {who}, <Moment at={at} />
          </span>
        </>
      ),
      value: ({ remark }) => remark,
    },
    ...(mayTry
      ? [
          {
            name: "Replay",
            cell: ({ version }: Version) => (
              <Link href={replayAddress({ version })} aria-label={`Try on files… version ${version}`}>
                Try on files…
              </Link>
            ),
          },
        ]
      : []),
  ];
  return (
    <section className="panel" aria-label="Versions of the flow">
      <header className="panel-head">
        <Icon name="versions" />
        <h2>Versions</h2>
        <button type="button" className="button button-quiet" aria-label="Close the panel" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="panel-body">
        {problem !== null && <Failure problem={problem} again={again} />}
        {rows === null && problem === null && <Waiting />}
        {rows?.length === 0 && (
          <p className="muted">
            None yet. Edit the flow and save it: each time makes a version, with who, when and why.
          </p>
        )}
        {rows !== null && rows.length > 0 && (
          <Table label="Versions" columns={columns} rows={rows} rowKey={(version) => version.version} />
        )}
        <More hasMore={hasMore} more={more} />
      </div>
      {shown !== null && (
        <VersionDialog
          version={shown}
          onClose={() => setShown(null)}
          onDone={() => {
            setShown(null);
            again();
          }}
          onEdit={onEdit}
        />
      )}
    </section>
  );
}

interface DialogProps {
  version: Version;
  onClose: () => void;
  onDone: () => void;
  onEdit: (version: number) => Promise<void>;
}

function VersionDialog({ version, onClose, onDone, onEdit }: DialogProps) {
  const mayChange = useMay("operator");
  const deed = useDeed();
  const both = useLoad(async () => {
    const [flow, other] = await Promise.all([gateway.flow(), gateway.version(version.version)]);
    return { flow, other };
  }, [version.version]);
  const name = `Version ${version.version}`;
  const [isActivating, setActivating] = useState(false);
  const [isRejecting, setRejecting] = useState(false);
  const { proposal } = version;
  const edit = () =>
    deed.run(async () => {
      await onEdit(version.version);
      onClose();
    });
  if (isActivating && both.value !== null)
    return (
      <ActivateDialog
        version={version.version}
        seen={{ found: both.value.other.found }}
        onClose={() => setActivating(false)}
        onDone={onDone}
      />
    );
  if (isRejecting && proposal != null)
    return (
      <ReasonDialog
        title={`Reject the proposal of version ${version.version}`}
        word="Reject"
        deed={async (because) => {
          await gateway.reject(version.version, because);
          say(`The proposal of version ${version.version} is rejected.`);
          onDone();
        }}
        onClose={() => setRejecting(false)}
      >
        The version stays, and can be proposed again.
      </ReasonDialog>
    );
  return (
    <Dialog
      title={name}
      width="wide"
      onClose={onClose}
      problem={deed.problem ?? both.problem}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
          {mayChange && (
            <>
              <button type="button" className="button" disabled={deed.isBusy} onClick={edit}>
                Edit it
              </button>
              {proposal != null && (
                <button type="button" className="button" onClick={() => setRejecting(true)}>
                  Reject the proposal…
                </button>
              )}
              <button
                type="button"
                className="button button-main"
                disabled={deed.isBusy || both.value === null}
                onClick={() => setActivating(true)}
              >
                Activate…
              </button>
            </>
          )}
        </>
      }
    >
      <p>{version.remark}</p>
      <p className="muted">
        {version.who}, <Moment at={version.at} />
        {version.activated.map((each) => (
          <span key={each.at}>
            ; activated by {each.who}, <Moment at={each.at} />
            {each.because !== "" && `: ${each.because}`}
          </span>
        ))}
      </p>
      {proposal != null && (
        <p className="remark">
          Proposed by {proposal.who}, <Moment at={proposal.at} />: {proposal.because}. It becomes active when another
          user activates it, too.
        </p>
      )}
      {both.value === null ? (
        both.problem === null && <Waiting />
      ) : (
        <VersionChanges text={both.value.flow.text} version={both.value.other} />
      )}
    </Dialog>
  );
}
