/** The tariff plans: their tables and versions, and the price of a call. */
import "../styles/scripts.css";
import "../styles/tariffs.css";

import { gateway } from "../api/gateway";
import type { Tariff } from "../api/types";
import { useLive } from "../live/live";
import { Icon } from "../parts/icons";
import { useLoad } from "../parts/load";
import { Await, Empty, Page } from "../parts/page";
import { useMay } from "../parts/session";
import { Link, useAddress } from "../router/router";
import { CallForm } from "./call-form";
import { Counters, countersAddress } from "./counters";
import { Doubted } from "./doubted";
import { FirstVersion } from "./first-version";
import { PlanVersions, firstAddress, versionAddress } from "./plan-versions";
import { TablePanel } from "./table-panel";
import { VersionPanel } from "./version-panel";

export const tableAddress = (file: string, line?: number) =>
  `/tariffs?file=${encodeURIComponent(file)}${line === undefined ? "" : `&line=${line}`}`;

export function TariffsPage() {
  const mayChange = useMay("operator");
  const { query } = useAddress();
  const file = query.get("file");
  const chosen = { plan: query.get("plan"), version: Number(query.get("version")) };
  const isCounters = query.get("view") === "counters";
  const isFirst = query.get("view") === "first";
  const changes = useLive((live) => live.changes);
  const loaded = useLoad(gateway.tariffs, [], [changes.flow]);
  return (
    <Page
      title="Tariffs"
      lead="By what plans calls are rated, what a call costs, and why; and what was counted of a subscriber."
    >
      {file === null && chosen.plan === null && !isFirst && <Doubted />}
      <Await loaded={loaded}>
        {({ tariffs }) =>
          tariffs.length === 0 && !isFirst ? (
            <Empty icon="rating" title="Nothing is rated">
              <p>
                A rating node has a tariff plan. Begin one here, or name a plan's folder in the settings of a rating
                node in the graph.
              </p>
              <p className="actions">
                {mayChange && (
                  <Link className="button button-main" href={firstAddress()}>
                    Begin a tariff plan
                  </Link>
                )}
                <Link className="button" href="/graph">
                  To the graph
                </Link>
              </p>
            </Empty>
          ) : (
            <div className="scripts">
              <Tables tariffs={tariffs} file={file} {...chosen} isCounters={isCounters} isFirst={isFirst} />
              <div className="section">
                {isCounters ? (
                  <Counters />
                ) : isFirst ? (
                  <FirstVersion key={chosen.plan} tariffs={tariffs} plan={chosen.plan ?? ""} onLoaded={loaded.again} />
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
  isFirst: boolean;
}

function Tables({ tariffs, file, plan, version, isCounters, isFirst }: TablesProps) {
  const mayChange = useMay("operator");
  const isAny = file !== null || plan !== null || isCounters || isFirst;
  return (
    <nav aria-label="Plans">
      <ul className="script-list">
        <li>
          <Link href="/tariffs" aria-current={isAny ? undefined : "page"}>
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
        {mayChange && (
          <li>
            <Link href={firstAddress()} aria-current={isFirst ? "page" : undefined}>
              <Icon name="versions" size={16} />
              <span>Begin a database of versions</span>
            </Link>
          </li>
        )}
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
        <dd>
          {nodes.length > 0 ? (
            nodes.join(", ")
          ) : (
            <span className="muted">
              no node of the flow. Scripts may rate by it; a rating node does whose settings name it as its plan.
            </span>
          )}
        </dd>
        {currency != null && (
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
      {problem != null && (
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
        problem == null && (
          <CallForm
            plan={plan}
            hasTables={tariff.tables.length > 0}
            services={tariff.services}
            versions={(versions ?? []).filter((version) => version.withdrawn == null)}
          />
        )
      )}
      {versions != null && <PlanVersions plan={plan} versions={versions} onChanged={onChanged} />}
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
