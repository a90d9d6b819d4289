/** The records of an alert, with links to their octets and to where they went. */
import type { AlertRecord, FraudAlert } from "../api/types";
import { counted } from "../parts/numbers";
import { visible } from "../parts/visible";
import { recordsAddress } from "../records/address";
import { Link } from "../router/router";

/** The record for which the rule fired, and the last ones of the rule. */
export function RecordsOf({ alert }: { alert: FraudAlert }) {
  return (
    <>
      <OneRecord of={alert} />
      {alert.evidence.length > 0 && (
        <details>
          <summary>{counted(alert.evidence.length, "record")}</summary>
          <ol className="plain evidence">
            {alert.evidence.map((of) => (
              <li key={`${of.job} ${of.record}`}>
                <OneRecord of={of} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

/** A record. The journal may not have its file any more. */
export function OneRecord({ of: { job, file, record } }: { of: Pick<AlertRecord, "job" | "file" | "record"> }) {
  if (file == null) return <span className="muted">of a file that is no longer known</span>;
  return (
    <>
      <Link className="fixed" href={recordsAddress({ job }, record)} title="Look at the record">
        {visible(file)}, {record}
      </Link>
      <Link className="below" href={`/trace?file=${encodeURIComponent(file)}&record=${record}`}>
        trace
      </Link>
    </>
  );
}
