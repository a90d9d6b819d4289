/** Starts a database of versions: the choice of the source, and the editor of the files. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Tariff } from "../api/types";
import { SelectField, TextField } from "../parts/field";
import { GiveUpDialog } from "../parts/give-up-dialog";
import { useLoad } from "../parts/load";
import { Await, Empty } from "../parts/page";
import { useMay } from "../parts/session";
import { Link } from "../router/router";
import { type Beginning, beginningOf, firstName, keepBeginning, keepCopy } from "./copies";
import { VersionFiles } from "./version-files";

const BEGIN_EXAMPLE = "example";

/** The names that the gateway accepts: beside the flow file, without a folder. */
const isName = (name: string) => /^[A-Za-z0-9_-]{1,64}\.db$/.test(name);

interface FirstProps {
  tariffs: Tariff[];
  /** The database, if the flow names one already. */
  plan: string;
  onLoaded: () => void;
}

export function FirstVersion({ tariffs, plan, onLoaded }: FirstProps) {
  const mayChange = useMay("operator");
  const [begun, setBegun] = useState(() => beginningOf(plan) ?? { name: "prices.db", from: BEGIN_EXAMPLE });
  const { name, from } = begun;
  const begin = (change: Partial<Beginning>) => {
    const next = { ...begun, ...change };
    keepBeginning(plan, next);
    setBegun(next);
  };
  const database = plan === "" ? name.trim() : plan;
  const known = tariffs.find((each) => each.plan === database);
  const [isEdited, setEdited] = useState(false);
  /** The source to change to after the user agrees to lose the edits. */
  const [next, setNext] = useState<string | null>(null);
  if (!mayChange)
    return (
      <Empty icon="versions" title="This is for operators">
        <p>Who may change the flow begins a database of versions.</p>
      </Empty>
    );
  // If the database exists already, say so before the user writes anything.
  const isThere = known !== undefined && (known.versions == null || known.versions.length > 0);
  const refusal = isThere ? (
    <p>
      “{database}” is there already: <Link href="/tariffs">its next version</Link> is made from one that it has.
    </p>
  ) : plan === "" && !isName(database) ? (
    <p>This is no name of a database: it has letters, digits, - and _, and .db behind, like prices.db.</p>
  ) : null;
  return (
    <section className="section script" aria-label="A first version">
      <h2>Begin a database of versions {plan !== "" && <span className="muted fixed">{plan}</span>}</h2>
      <p className="muted">
        In a database each version of a plan is valid from a moment on: the next one is loaded before it is, and a call
        is priced by what was valid when it started. It lies beside the flow file.
      </p>
      <div className="samples-asked">
        {plan === "" && (
          <TextField
            label="Database"
            value={name}
            onValue={(name) => begin({ name })}
            isRequired
            help="letters, digits, - and _, with .db behind"
          />
        )}
        <SelectField
          label="Begin from"
          value={from}
          onValue={isEdited ? setNext : (from) => begin({ from })}
          help="its files, which you then make yours"
        >
          <option value={BEGIN_EXAMPLE}>The example: an invented operator in Sweden</option>
          {tariffs.map((each) => {
            if (each.tables.length > 0)
              return (
                <option key={each.plan} value={`plan ${each.plan}`}>
                  The plan in {each.plan}
                </option>
              );
            return (each.versions ?? []).map(({ version, name: called }) => (
              <option key={`${each.plan} ${version}`} value={`version ${version} ${each.plan}`}>
                Version {version} of {each.plan}, {called}
              </option>
            ));
          })}
        </SelectField>
      </div>
      {refusal !== null && (
        <div className="remark" role="status">
          {refusal}
        </div>
      )}
      <FilesOf
        key={from}
        tariffs={tariffs}
        from={from}
        plan={database}
        copy={firstName(plan)}
        isHeld={refusal !== null}
        onLoaded={() => {
          keepBeginning(plan, null);
          onLoaded();
        }}
        onEdited={setEdited}
      />
      {plan === "" && (
        <p className="muted">
          When it is loaded, write its name into the settings of a rating node, as its plan:{" "}
          <Link href="/graph">to the graph</Link>.
        </p>
      )}
      {next !== null && (
        <GiveUpDialog
          onClose={() => setNext(null)}
          onGivenUp={() => {
            keepCopy(firstName(plan), {});
            begin({ from: next });
            setNext(null);
          }}
        >
          The files are begun anew, from what you chose. What you wrote is kept nowhere.
        </GiveUpDialog>
      )}
    </section>
  );
}

interface FilesProps {
  tariffs: Tariff[];
  from: string;
  plan: string;
  copy: string;
  isHeld: boolean;
  onLoaded: () => void;
  onEdited: (isEdited: boolean) => void;
}

/** It is mounted again for each source, so it never shows the texts of another one while loading or after a failure. */
function FilesOf({ tariffs, from, ...rest }: FilesProps) {
  const loaded = useLoad(() => texts(tariffs, from), []);
  return (
    <Await loaded={loaded}>{(found) => <VersionFiles of={found} files={Object.keys(found).sort()} {...rest} />}</Await>
  );
}

/** Returns the texts of a source. */
async function texts(tariffs: Tariff[], from: string): Promise<Record<string, string>> {
  const [kind, ...rest] = from.split(" ");
  if (kind === "plan") {
    const tables = tariffs.find((each) => each.plan === rest.join(" "))?.tables ?? [];
    const read = tables.map(async ({ file }) => {
      const { text } = await gateway.tariffTable(file);
      return [file.slice(file.lastIndexOf("/") + 1), text] as const;
    });
    return Object.fromEntries(await Promise.all(read));
  }
  if (kind === "version") {
    const [version, plan] = [Number(rest[0]), rest.slice(1).join(" ")];
    const { files } = await gateway.tariffFiles(plan, version);
    const read = files.map(async ({ file }) => [file, (await gateway.tariffFile(plan, version, file)).text] as const);
    return Object.fromEntries(await Promise.all(read));
  }
  const { EXAMPLE } = await import("./example-plan");
  return EXAMPLE;
}
