/** What the subscribers of an account were to hear of: little is left, a stage has ended, a bundle is not paid. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { SubscriberNotice } from "../api/types";
import { Failure } from "../parts/failure";
import { useEvery } from "../parts/every";
import { useLoad } from "../parts/load";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";

const REFRESH_MS = 5_000;

/** How many are shown at first. */
const FEW = 5;

const COLUMNS: Column<SubscriberNotice>[] = [
  { name: "Time", cell: ({ at }) => <Moment at={at} /> },
  { name: "About", cell: ({ name }) => name ?? "the account" },
  { name: "Notice", isWide: true, cell: ({ text }) => text },
];

export function Notices({ name }: { name: string }) {
  const loaded = useLoad(() => gateway.notices(name), [name]);
  useEvery(REFRESH_MS, loaded);
  const [isWhole, setIsWhole] = useState(false);
  const { notices = [] } = loaded.value ?? {};
  const shown = isWhole ? notices : notices.slice(0, FEW);
  if (loaded.problem === null && notices.length === 0) return null;
  return (
    <section className="section" aria-label="Notices">
      <h2>Notices to the subscriber</h2>
      {loaded.problem !== null && <Failure problem={loaded.problem} again={loaded.again} />}
      {shown.length > 0 && <Table label="Notices" columns={COLUMNS} rows={shown} rowKey={({ notice }) => notice} />}
      {shown.length < notices.length && (
        <button type="button" className="button" onClick={() => setIsWhole(true)}>
          Show all {notices.length}
        </button>
      )}
    </section>
  );
}
