/** A version of a plan in a database: its files, and its differences from another version. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { TariffVersion } from "../api/types";
import { SelectField } from "../parts/field";
import { useLoad } from "../parts/load";
import { Await } from "../parts/page";
import { Moment } from "../parts/time";
import { copyName } from "./copies";
import { Standing } from "./plan-versions";
import { VersionDifferences } from "./version-differences";
import { VersionFiles } from "./version-files";

interface PanelProps {
  plan: string;
  versions: TariffVersion[];
  version: TariffVersion;
  onLoaded: () => void;
}

export function VersionPanel({ plan, versions, version, onLoaded }: PanelProps) {
  const number = version.version;
  const loaded = useLoad(() => gateway.tariffFiles(plan, number), [plan, number]);
  const [compared, setCompared] = useState("");
  const others = versions.filter((each) => each.version !== number);
  return (
    <section className="section script" aria-label={`Version ${number} of ${plan}`}>
      <h2>
        Version {number} <span className="muted fixed">{plan}</span> <Standing standing={version.standing} />
      </h2>
      <p className="muted">
        “{version.name}”, valid from <Moment at={version.valid_from} />
        {version.valid_to != null && (
          <>
            {" "}
            until <Moment at={version.valid_to} />
          </>
        )}
        ; loaded <Moment at={version.loaded.at} /> by {version.loaded.who}: {version.loaded.reason}
      </p>
      <Await loaded={loaded}>
        {({ files }) => (
          <VersionFiles
            plan={plan}
            of={number}
            files={files.map((each) => each.file)}
            copy={copyName(plan, number)}
            onLoaded={onLoaded}
          />
        )}
      </Await>
      {others.length > 0 && (
        <section className="section" aria-label="Differences between versions">
          <h3>What is different from another version</h3>
          <SelectField label="Compare with" value={compared} onValue={setCompared}>
            <option value="">Choose one</option>
            {others.map((each) => (
              <option key={each.version} value={each.version}>
                Version {each.version}, {each.name}
              </option>
            ))}
          </SelectField>
          {compared !== "" && <VersionDifferences plan={plan} before={Number(compared)} after={number} />}
        </section>
      )}
    </section>
  );
}
