/** The audit: whether all input is accounted for, and whether all files that were sent have come. */
import { NodeFilter } from "../parts/node-filter";
import { Page } from "../parts/page";
import { PeriodFilter, usePeriod } from "../parts/period";
import { Link, useAddress, useWord } from "../router/router";
import { Reconciliation } from "./reconciliation";
import { Sequences } from "./sequences";

export function AuditPage() {
  const { path, query } = useAddress();
  const isSequences = path.endsWith("/sequences");
  const period = usePeriod();
  const [element, setElement] = useWord("network_element");
  const words = query.toString() === "" ? "" : `?${query.toString()}`;
  return (
    <Page
      title="Audit"
      lead={
        isSequences
          ? "Numbers of files and records: what is missing, late or repeated."
          : "Each record that came in is in exactly one column. What does not agree comes first."
      }
    >
      <div className="tabs" role="navigation" aria-label="Parts of the audit">
        <Link href={`/audit${words}`} aria-current={isSequences ? undefined : "page"}>
          Reconciliation
        </Link>
        <Link href={`/audit/sequences${words}`} aria-current={isSequences ? "page" : undefined}>
          Sequences
        </Link>
      </div>
      <div className="filters">
        <PeriodFilter />
        <NodeFilter label="Network element" kinds={["network-element"]} value={element} onValue={setElement} />
      </div>
      {isSequences ? (
        <Sequences period={period} element={element} />
      ) : (
        <Reconciliation period={period} element={element} />
      )}
    </Page>
  );
}
