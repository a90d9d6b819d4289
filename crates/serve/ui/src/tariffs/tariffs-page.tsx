/** The plans by which records are rated: their tables and versions, and what a call would cost. */
import "../styles/scripts.css";
import "../styles/tariffs.css";

import { gateway } from "../api/gateway";
import type { Tariff } from "../api/types";
import { useLive } from "../live/live";
import { Icon } from "../parts/icons";
import { useLoad } from "../parts/load";
import { Await, Empty, Page } from "../parts/page";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";
import { Link, useAddress } from "../router/router";
import { CallForm } from "./call-form";
import { Counters, countersAddress } from "./counters";
import { TablePanel } from "./table-panel";

export const tableAddress = (file: string, line?: number) =>
  `/tariffs?file=${encodeURIComponent(file)}${line === undefined ? "" : `&line=${line}`}`;

export function TariffsPage() {
  const { query } = useAddress();
  const file = query.get("file");
  const isCounters = query.get("view") === "counters";
  const changes = useLive((live) => live.changes);
  const loaded = useLoad(gateway.tariffs, [changes.flow]);
  return (
    <Page
      title="Tariffs"
      lead="By what plans calls are rated, what a call costs, and why; and what was counted of a subscriber."
    >
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
              <Tables tariffs={tariffs} file={file} isCounters={isCounters} />
              <div className="section">
                {isCounters ? (
                  <Counters />
                ) : file === null ? (
                  tariffs.map((tariff) => <One key={tariff.plan} tariff={tariff} />)
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

function Tables({ tariffs, file, isCounters }: { tariffs: Tariff[]; file: string | null; isCounters: boolean }) {
  return (
    <nav aria-label="Plans">
      <ul className="script-list">
        <li>
          <Link href="/tariffs" aria-current={file === null && !isCounters ? "page" : undefined}>
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
      </ul>
    </nav>
  );
}

const VERSIONS: Column<Tariff["versions"][number]>[] = [
  { name: "Version", cell: (version) => version.version },
  { name: "Valid from", cell: (version) => <Moment at={version.valid_from} /> },
  { name: "Name", cell: (version) => version.name },
  {
    name: "Loaded",
    isWide: true,
    cell: ({ loaded, withdrawn }) => (
      <>
        <Moment at={loaded.at} /> by {loaded.who}: {loaded.reason}
        {withdrawn !== null && (
          <span className="below">
            withdrawn <Moment at={withdrawn.at} /> by {withdrawn.who}: {withdrawn.reason}
          </span>
        )}
      </>
    ),
  },
];

function One({ tariff }: { tariff: Tariff }) {
  const { plan, nodes, name, currency, classes, versions, diagnostics } = tariff;
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
      {mistakes.length > 0 ? (
        <div className="remark">
          <p>The plan has mistakes, and is not used as it is now; the first is:</p>
          <pre className="fixed break">{mistakes[0]!.text}</pre>
        </div>
      ) : (
        <CallForm plan={plan} hasTables={tariff.tables.length > 0} />
      )}
      {versions.length > 0 && (
        <>
          <h3>Versions</h3>
          <Table
            label={`Versions of ${plan}`}
            columns={VERSIONS}
            rows={versions}
            rowKey={(version) => version.version}
            rowClass={(version) => (version.withdrawn === null ? undefined : "row-quiet")}
          />
          <p className="muted">
            A version is loaded, withdrawn and taken out by <code>tollgate tariff</code>, where its files are.
          </p>
        </>
      )}
    </section>
  );
}
