/** Versions of the definition of the charging system: what came into use when, and what each has changed. */
import { useEffect, useRef, useState } from "react";

import { Refusal } from "../api/client";
import { gateway } from "../api/gateway";
import type { ChargingVersion } from "../api/types";
import { DiffView } from "../graph/diff-view";
import { useEvery } from "../parts/every";
import { List } from "../parts/list";
import { useLoad, usePages } from "../parts/load";
import { say } from "../parts/notices";
import { Await, Empty } from "../parts/page";
import { ReasonDialog } from "../parts/reason-dialog";
import { useMay } from "../parts/session";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";

/** A version comes into use within a second after its files are there. */
const REFRESH_MS = 2_000;

const columnsOf = (used: number | null): Column<ChargingVersion>[] => [
  {
    name: "Version",
    isNumber: true,
    cell: ({ version }) => (
      <>
        {version === used && <span className="mark mark-fine">in use</span>} {version}
      </>
    ),
    value: ({ version }) => version,
  },
  { name: "Since", cell: ({ since }) => <Moment at={since} />, value: ({ since }) => since, isDescendingFirst: true },
  { name: "Changed files", isWide: true, cell: ({ changed }) => <span className="fixed">{changed.join(", ")}</span> },
];

export function Versions() {
  const mayRestore = useMay("administrator");
  const [chosen, setChosen] = useState<ChargingVersion | null>(null);
  const [used, setUsed] = useState<number | null>(null);
  const [restored, setRestored] = useState<Restored | null>(null);
  const pages = usePages(
    async (before) => {
      const found = await gateway.chargingVersions({ before, limit: 50 });
      setUsed(found.used ?? null);
      return { rows: found.versions, more: found.more };
    },
    ({ version }) => version,
    [],
  );
  // Another first page would drop the older rows.
  useEvery(REFRESH_MS, { again: pages.again, isLoading: pages.isLoading || pages.hasOlder });
  const changes: Column<ChargingVersion> = {
    name: "Changes",
    cell: (of) => (
      <button type="button" className="button" onClick={() => setChosen(of)}>
        Show version {of.version}
      </button>
    ),
  };
  return (
    <>
      <List
        {...pages}
        label="Versions"
        columns={[...columnsOf(used), changes]}
        rowKey={({ version }) => version}
        empty={
          <Empty icon="accounts" title="No versions yet">
            <p>
              When the charging system runs, <code>charging.toml</code> and its tariff are kept here as they were, each
              time that a change came into use.
            </p>
          </Empty>
        }
      />
      {chosen !== null && (
        <Changed
          key={chosen.version}
          of={chosen}
          onRestore={mayRestore && chosen.version !== used ? setRestored : null}
        />
      )}
      {restored !== null && <RestoreDialog {...restored} onClose={() => setRestored(null)} />}
    </>
  );
}

/** What is put back. */
interface Restored {
  version: number;
  /** Null for all files. */
  file: string | null;
}

/** Puts the files of a version back, or one of them. */
function RestoreDialog({ version, file, onClose }: Restored & { onClose: () => void }) {
  const what = file === null ? `version ${version}` : `${file} of version ${version}`;
  const restore = async (because: string) => {
    const { changed } = await gateway.restoreChargingVersion(version, { file, because });
    const are = file === null ? `The files of ${what} are` : `${what} is`;
    const names = file === null ? `: ${changed.join(", ")}` : "";
    say(changed.length === 0 ? `${are} in use already.` : `${are} back${names}.`);
    onClose();
  };
  return (
    <ReasonDialog
      title={`Put ${what} back?`}
      onClose={onClose}
      word="Put back"
      busyWord="Putting back…"
      look="grave"
      deed={restore}
    >
      {file === null ? "All files of the definition become those" : "This file becomes that"} of version {version}.
      Calls that begin go by them; calls in progress keep their price.
    </ReasonDialog>
  );
}

interface ChangedProps {
  of: ChargingVersion;
  /** Null if it is in use, or the user may not. */
  onRestore: ((what: Restored) => void) | null;
}

/** The files that a version has changed, beside the version before. */
function Changed({ of: { version, before, changed, files }, onRestore }: ChangedProps) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    section.current?.scrollIntoView();
  }, []);
  return (
    <section ref={section} className="section" aria-label={`Version ${version}`}>
      <h2>Version {version}</h2>
      {changed.map((file) => (
        <section key={file} className="section" aria-label={`Changes of ${file}`}>
          <h3 className="fixed">{file}</h3>
          <ChangedFile file={file} version={version} before={before ?? null} />
          {onRestore !== null && files.includes(file) && (
            <p>
              <button type="button" className="button" onClick={() => onRestore({ version, file })}>
                Put {file} back…
              </button>
            </p>
          )}
        </section>
      ))}
      {onRestore !== null && (
        <p>
          <button type="button" className="button" onClick={() => onRestore({ version, file: null })}>
            Put version {version} back…
          </button>
        </p>
      )}
    </section>
  );
}

function ChangedFile({ file, version, before }: { file: string; version: number; before: number | null }) {
  const loaded = useLoad(async () => {
    const [one, other] = await Promise.all([before === null ? "" : textOf(before, file), textOf(version, file)]);
    return { one, other };
  }, [file, version]);
  return (
    <Await loaded={loaded}>
      {({ one, other }) => (
        <DiffView
          before={one}
          after={other}
          names={[before === null ? "Nothing" : `Version ${before}`, `Version ${version}`]}
        />
      )}
    </Await>
  );
}

/** Returns the text of a file in a version; none if the version does not have it. */
async function textOf(version: number, file: string): Promise<string> {
  try {
    return (await gateway.chargingVersionFile(version, file)).text;
  } catch (error) {
    if (error instanceof Refusal && error.code === "version-file-unknown") return "";
    throw error;
  }
}
