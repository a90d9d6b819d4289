/** What networks were refused for an account: why its calls were cut off or did not begin. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { AccountRefusal } from "../api/types";
import { Failure } from "../parts/failure";
import { useEvery } from "../parts/every";
import { useLoad } from "../parts/load";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";

const REFRESH_MS = 5_000;

/** How many are shown at first. */
const FEW = 5;

const COLUMNS: Column<AccountRefusal>[] = [
  { name: "Time", cell: ({ at }) => <Moment at={at} /> },
  { name: "Service", cell: ({ service }) => visible(service) },
  { name: "To", cell: ({ other }) => <span className="fixed">{visible(other)}</span> },
  { name: "Client", cell: ({ client }) => visible(client) },
  { name: "Why", isWide: true, cell: ({ text }) => text },
];

export function Refusals({ name }: { name: string }) {
  const loaded = useLoad(() => gateway.refusals(name), [name]);
  useEvery(REFRESH_MS, loaded);
  const [isWhole, setIsWhole] = useState(false);
  const { refusals = [], since = null } = loaded.value ?? {};
  const shown = isWhole ? refusals : refusals.slice(0, FEW);
  return (
    <section className="section" aria-label="Refused">
      <h2>Refused and cut off</h2>
      {loaded.problem !== null && <Failure problem={loaded.problem} again={loaded.again} />}
      {loaded.value !== null && (
        <p className="muted">
          {refusals.length === 0 ? "Nothing was refused " : "All that was refused "}
          {since === null ? (
            "as far as is known: the system does not answer networks."
          ) : (
            <>
              since <Moment at={since} />. The charging system has the list in its memory.
            </>
          )}
        </p>
      )}
      {shown.length > 0 && (
        <Table label="Refused" columns={COLUMNS} rows={shown} rowKey={(of) => refusals.indexOf(of)} />
      )}
      {shown.length < refusals.length && (
        <button type="button" className="button" onClick={() => setIsWhole(true)}>
          Show all {refusals.length}
        </button>
      )}
    </section>
  );
}
