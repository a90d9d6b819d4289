/** Tries a change on processed files before it is activated: the change, the progress, and the differences. */
import "../styles/replay.css";
import "../styles/scripts.css";

import { useEffect, useState } from "react";

import { gateway } from "../api/gateway";
import type { Replay } from "../api/types";
import { ActivateDialog } from "../graph/activate-dialog";
import { ruleFileAddress } from "../fraud/address";
import { isRuleFile } from "../fraud/rule-files";
import { useLive } from "../live/live";
import { Failure } from "../parts/failure";
import { useDeed, useLoad } from "../parts/load";
import { count, octets } from "../parts/numbers";
import { Await, Empty, Page } from "../parts/page";
import { useMay } from "../parts/session";
import { Moment } from "../parts/time";
import { Link } from "../router/router";
import { scriptAddress } from "../scripts/address";
import { draftNames } from "../scripts/drafts";
import { tableAddress } from "../tariffs/tariffs-page";
import { changedSince } from "./begun";
import { ReplayForm } from "./replay-form";
import { Report } from "./replay-report";
import { filesOf, nameOf, triedOf } from "./words";

/** The intervals of requests for the progress, and for a replay that another user started. */
const RUNNING_MS = 700;
const IDLE_MS = 5_000;

/** The number of versions to choose from. */
const VERSIONS = 50;

export function ReplayPage() {
  const mayTry = useMay("operator");
  const changes = useLive((live) => live.changes);
  const loaded = useLoad(gateway.replay, []);
  const versions = useLoad(
    async () => (await gateway.versions({ limit: VERSIONS })).versions,
    [],
    [changes.versions, changes.flow],
  );
  const { again, isLoading } = loaded;
  const isRunning = loaded.value?.replay?.state === "running";
  useEffect(() => {
    if (isLoading) return;
    const timer = setTimeout(again, isRunning ? RUNNING_MS : IDLE_MS);
    return () => clearTimeout(timer);
  }, [isLoading, isRunning, again]);
  return (
    <Page title="Replay" lead="What a change would do to files that came already, before it runs.">
      <Await loaded={loaded}>
        {({ replay, files_max }) => (
          <>
            {mayTry && versions.value !== null && (versions.value.length > 0 || draftNames().length > 0) && (
              <ReplayForm versions={versions.value} filesMax={files_max} isRunning={isRunning} onStarted={again} />
            )}
            {versions.problem !== null && <Failure problem={versions.problem} again={versions.again} />}
            {replay == null ? (
              <Empty icon="replay" title="Nothing was tried yet">
                {mayTry ? (
                  <p>
                    Change a <Link href="/scripts">script</Link>, a <Link href="/tariffs">tariff</Link> or a{" "}
                    <Link href="/fraud/rules">rule</Link>, or save a version of the <Link href="/graph">graph</Link>;
                    then try it here before it is active.
                  </p>
                ) : (
                  <p>An operator tries changes; what they would do is shown here.</p>
                )}
              </Empty>
            ) : (
              <One key={replay.id} replay={replay} mayTry={mayTry} again={again} />
            )}
          </>
        )}
      </Await>
    </Page>
  );
}

interface OneProps {
  replay: Replay;
  mayTry: boolean;
  again: () => void;
}

function One({ replay, mayTry, again }: OneProps) {
  const { state, who, began, ended, files, files_done, problem, cancelled_by, report } = replay;
  const tried = triedOf(replay);
  const others = changedSince(replay.id);
  const deed = useDeed();
  const cancel = () =>
    deed.run(async () => {
      await gateway.cancelReplay();
      again();
    });
  return (
    <section className="section" aria-label={`${tried}, tried`}>
      <div className="section-head">
        <div>
          <h2>{tried}</h2>
          <p className="muted">
            on {filesOf(replay)}, {octets(replay.octets)}; begun by {who}, <Moment at={began} />
            {ended != null && (
              <>
                , ended <Moment at={ended} />
              </>
            )}
          </p>
        </div>
        {mayTry && (
          <span className="actions">
            {state === "running" && (
              <button type="button" className="button" disabled={deed.isBusy} onClick={cancel}>
                Cancel
              </button>
            )}
            {state === "done" && <Next replay={replay} />}
          </span>
        )}
      </div>
      {deed.problem !== null && <Failure problem={deed.problem} />}
      <div role="status" aria-label="How far it is">
        {state === "running" && (
          <p>
            <progress value={files_done} max={files} aria-label="Files that are compared" /> {count(files_done)} of{" "}
            {count(files)} files are compared. It goes on when you leave this page.
          </p>
        )}
        {state === "cancelled" && (
          <p>
            {cancelled_by == null ? "It ended with the gateway." : `Cancelled by ${cancelled_by}.`} Nothing is kept of
            it.
          </p>
        )}
      </div>
      {others.length > 0 && <p className="muted">You have changed {others.join(", ")} since this was begun.</p>}
      {state === "failed" && (
        <div className="failure" role="alert">
          <div>
            <p>It could not be tried to the end:</p>
            <pre className="fixed break">{problem}</pre>
          </div>
        </div>
      )}
      {report != null && <Report report={report} />}
    </section>
  );
}

/** The next step after a good result. */
function Next({ replay: { version, drafts } }: { replay: Replay }) {
  const deed = useDeed();
  const [found, setFound] = useState<string | null>(null);
  if (version == null) return <ToDrafts names={drafts.filter((name) => name !== "")} />;
  const activate = () =>
    deed.run(async () => {
      setFound((await gateway.version(version)).found);
    });
  const close = () => setFound(null);
  return (
    <>
      {deed.problem !== null && <Failure problem={deed.problem} />}
      <button type="button" className="button button-main" disabled={deed.isBusy} onClick={activate}>
        Activate version {version}…
      </button>
      {found !== null && <ActivateDialog version={version} seen={{ found }} onClose={close} onDone={close} />}
    </>
  );
}

/** Links to the files that were tried. */
function ToDrafts({ names }: { names: string[] }) {
  const { value, isLoading } = useLoad(gateway.ruleFiles, []);
  if (isLoading) return null;
  const address = (name: string) => {
    if (isRuleFile(value?.folders ?? [], name)) return ruleFileAddress(name);
    return /\.(csv|toml)$/.test(name) ? tableAddress(name) : scriptAddress(name);
  };
  return names.map((name) => (
    <Link key={name} className="button" href={address(name)}>
      To {nameOf(name)}
    </Link>
  ));
}
