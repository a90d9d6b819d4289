/** Versions of the definition of the charging system: what came into use when, and what each has changed. */
import { useEffect, useRef, useState } from "react";

import { Refusal } from "../api/client";
import { gateway } from "../api/gateway";
import type { ChargingVersion } from "../api/types";
import { DiffView } from "../graph/diff-view";
import { List } from "../parts/list";
import { useLoad, usePages } from "../parts/load";
import { Await, Empty } from "../parts/page";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";

const COLUMNS: Column<ChargingVersion>[] = [
  { name: "Version", isNumber: true, cell: ({ version }) => version, value: ({ version }) => version },
  { name: "Since", cell: ({ since }) => <Moment at={since} />, value: ({ since }) => since, isDescendingFirst: true },
  { name: "Changed files", isWide: true, cell: ({ changed }) => <span className="fixed">{changed.join(", ")}</span> },
];

export function Versions() {
  const [chosen, setChosen] = useState<ChargingVersion | null>(null);
  const pages = usePages(
    async (before) => {
      const found = await gateway.chargingVersions({ before, limit: 50 });
      return { rows: found.versions, more: found.more };
    },
    ({ version }) => version,
    [],
  );
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
        columns={[...COLUMNS, changes]}
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
      {chosen !== null && <Changed key={chosen.version} of={chosen} />}
    </>
  );
}

/** The files that a version has changed, beside the version before. */
function Changed({ of: { version, before, changed } }: { of: ChargingVersion }) {
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
        </section>
      ))}
      <p className="muted">
        <code>tollgate charge versions restore {version}</code> puts all files of this version back.
      </p>
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
