/** The plans by which records are rated: their tables and versions, and what a call would cost. */
import "../styles/scripts.css";
import "../styles/tariffs.css";

import { gateway } from "../api/gateway";
import type { Tariff } from "../api/types";
import { useLive } from "../live/live";
import { Icon } from "../parts/icons";
import { useLoad } from "../parts/load";
import { Await, Empty, Page } from "../parts/page";
import { Link, useAddress } from "../router/router";
import { CallForm } from "./call-form";
import { Counters, countersAddress } from "./counters";
import { Doubted } from "./doubted";
import { PlanVersions, versionAddress } from "./plan-versions";
import { TablePanel } from "./table-panel";
import { VersionPanel } from "./version-panel";

export const tableAddress = (file: string, line?: number) =>
  `/tariffs?file=${encodeURIComponent(file)}${line === undefined ? "" : `&line=${line}`}`;

export function TariffsPage() {
  const { query } = useAddress();
  const file = query.get("file");
  const chosen = { plan: query.get("plan"), version: Number(query.get("version")) };
  const isCounters = query.get("view") === "counters";
  const changes = useLive((live) => live.changes);
  const loaded = useLoad(gateway.tariffs, [changes.flow]);
  return (
    <Page
      title="Tariffs"
      lead="By what plans calls are rated, what a call costs, and why; and what was counted of a subscriber."
    >
      {file === null && chosen.plan === null && <Doubted />}
      <Await loaded={loaded}>
        {({ tariffs }) =>
          tariffs.length === 0 ? (
            <Empty icon="rating" title="Nothing is rated">
              <p>A rating node has a tariff plan. Add one to the graph, and name the plan's folder in its settings.</p>
              <Link className="button" href="/graph">
                To the graph
              </Link>
            </Empty>
          ) : (
            <div className="scripts">
              <Tables tariffs={tariffs} file={file} {...chosen} isCounters={isCounters} />
              <div className="section">
                {isCounters ? (
                  <Counters />
                ) : chosen.plan !== null ? (
                  <OneVersion
                    key={`${chosen.plan} ${chosen.version}`}
                    tariff={tariffs.find((each) => each.plan === chosen.plan)}
                    version={chosen.version}
                    onLoaded={loaded.again}
                  />
                ) : file === null ? (
                  tariffs.map((tariff) => <One key={tariff.plan} tariff={tariff} onChanged={loaded.again} />)
                ) : (
                  <TablePanel
                    key={file}
                    file={file}
                    digest={tariffs.flatMap((each) => each.tables).find((each) => each.file === file)?.digest ?? null}
                    onSaved={loaded.again}
                  />
                )}
              </div>
            </div>
          )
        }
      </Await>
    </Page>
  );
}

interface TablesProps {
  tariffs: Tariff[];
  file: string | null;
  plan: string | null;
  version: number;
  isCounters: boolean;
}

function Tables({ tariffs, file, plan, version, isCounters }: TablesProps) {
  return (
    <nav aria-label="Plans">
      <ul className="script-list">
        <li>
          <Link href="/tariffs" aria-current={file === null && plan === null && !isCounters ? "page" : undefined}>
            <Icon name="rating" size={16} />
            <span>Plans, and what a call costs</span>
          </Link>
        </li>
        <li>
          <Link href={countersAddress("", "")} aria-current={isCounters ? "page" : undefined}>
            <Icon name="people" size={16} />
            <span>Counters of a subscriber</span>
          </Link>
        </li>
        {tariffs.flatMap((tariff) =>
          tariff.tables.map((table) => (
            <li key={table.file}>
              <Link href={tableAddress(table.file)} aria-current={table.file === file ? "page" : undefined}>
                <Icon name="table" size={16} />
                <span className="fixed">{table.file}</span>
              </Link>
            </li>
          )),
        )}
        {tariffs.flatMap((tariff) =>
          (tariff.versions ?? [])
            .filter((each) => each.standing === "valid" || each.standing === "coming")
            .map((each) => (
              <li key={`${tariff.plan} ${each.version}`}>
                <Link
                  href={versionAddress(tariff.plan, each.version)}
                  aria-current={tariff.plan === plan && each.version === version ? "page" : undefined}
                >
                  <Icon name="versions" size={16} />
                  <span>
                    <span className="fixed">{tariff.plan}</span>, version {each.version}
                  </span>
                </Link>
              </li>
            )),
        )}
      </ul>
    </nav>
  );
}

function One({ tariff, onChanged }: { tariff: Tariff; onChanged: () => void }) {
  const { plan, nodes, name, currency, classes, versions, diagnostics, problem } = tariff;
  const mistakes = diagnostics.filter((each) => each.severity === "error");
  return (
    <section className="section" aria-label={`Plan ${plan}`}>
      <h2>
        {name ?? plan} <span className="muted fixed">{plan}</span>
      </h2>
      <dl className="facts">
        <dt>Rates for</dt>
        <dd>{nodes.join(", ")}</dd>
        {currency !== null && (
          <>
            <dt>Currency</dt>
            <dd>{currency}</dd>
          </>
        )}
        {classes.length > 0 && (
          <>
            <dt>Classes</dt>
            <dd>{classes.join(", ")}</dd>
          </>
        )}
      </dl>
      {problem !== null && (
        <div className="remark">
          <p>Nothing can be rated by it as it is now: {problem}.</p>
        </div>
      )}
      {mistakes.length > 0 ? (
        <div className="remark">
          <p>The plan has mistakes, and is not used as it is now; the first is:</p>
          <pre className="fixed break">{mistakes[0]!.text}</pre>
        </div>
      ) : (
        problem === null && (
          <CallForm
            plan={plan}
            hasTables={tariff.tables.length > 0}
            versions={(versions ?? []).filter((version) => version.withdrawn === null)}
          />
        )
      )}
      {versions !== null && <PlanVersions plan={plan} versions={versions} onChanged={onChanged} />}
    </section>
  );
}

interface OneVersionProps {
  tariff: Tariff | undefined;
  version: number;
  onLoaded: () => void;
}

function OneVersion({ tariff, version, onLoaded }: OneVersionProps) {
  const found = tariff?.versions?.find((each) => each.version === version);
  if (tariff === undefined || found === undefined)
    return (
      <Empty icon="rating" title="There is no such version">
        <p>The flow names another plan by now, or the link is of another gateway.</p>
        <Link className="button" href="/tariffs">
          To the plans
        </Link>
      </Empty>
    );
  return <VersionPanel plan={tariff.plan} versions={tariff.versions ?? []} version={found} onLoaded={onLoaded} />;
}
