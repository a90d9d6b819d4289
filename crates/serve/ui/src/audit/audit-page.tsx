/** The audit: whether all input is accounted for, and whether all files that were sent have come. */
import { SelectField, TextField } from "../parts/field";
import { NodeFilter } from "../parts/node-filter";
import { Page } from "../parts/page";
import { Link, useAddress, useWord } from "../router/router";
import { Reconciliation } from "./reconciliation";
import { Sequences } from "./sequences";

const DAY_MS = 86_400_000;

/** Returns the start of the last `days` days, today included, or an empty text without a number of days. */
export function since(days: string, now: number): string {
  const many = Number(days);
  return days === "" || !Number.isFinite(many) ? "" : new Date(now - (many - 1) * DAY_MS).toISOString().slice(0, 10);
}

export function AuditPage() {
  const { path, query } = useAddress();
  const isSequences = path.endsWith("/sequences");
  const [days, setDays] = useWord("days");
  const [from, setFrom] = useWord("from");
  const [to, setTo] = useWord("to");
  const [element, setElement] = useWord("network_element");
  const period = { from: from === "" ? since(days, Date.now()) : from, to };
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
        <SelectField
          label="Period"
          value={from === "" && to === "" ? days : "own"}
          onValue={(value) => {
            setFrom(value === "own" ? since("1", Date.now()) : "");
            setTo("");
            setDays(value === "own" ? "" : value);
          }}
        >
          <option value="">from the beginning</option>
          <option value="1">today</option>
          <option value="7">7 days</option>
          <option value="31">31 days</option>
          <option value="own">days of your own</option>
        </SelectField>
        {(from !== "" || to !== "") && (
          <>
            <TextField label="From (UTC)" type="date" value={from} onValue={setFrom} />
            <TextField label="To, not included" type="date" value={to} onValue={setTo} />
          </>
        )}
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
