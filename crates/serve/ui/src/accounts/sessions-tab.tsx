/** The calls and connections in progress of all accounts. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { OpenSession, Sessions } from "../api/types";
import { useEvery } from "../parts/every";
import { SelectField, TextField } from "../parts/field";
import { List } from "../parts/list";
import { usePages } from "../parts/load";
import { Empty } from "../parts/page";
import { useQuiet } from "../parts/quiet";
import { useMay } from "../parts/session";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { Link, useWord } from "../router/router";
import { accountAddress, messagesAddress, ownName, plainNumber } from "./address";
import { compareAmounts } from "./amounts";
import { EndSessionDialog } from "./end-session-dialog";
import { StuckMark } from "./stuck-mark";

/** A reservation changes with each report of a network. */
const REFRESH_MS = 2_000;

/** The pause in typing after which sessions are looked for. */
const QUIET_MS = 150;

const PAGE = 50;

/** The ages of sessions that can be chosen, in seconds. */
const AGES = [
  ["600", "10 minutes"],
  ["3600", "an hour"],
  ["21600", "6 hours"],
  ["86400", "a day"],
] as const;

const placeOf = ({ account, session }: OpenSession) => `${account}-${session}`;

export function AllSessions({ services }: { services: readonly string[] }) {
  const mayEnd = useMay("operator");
  const [number, setNumber] = useWord("number");
  const [service, setService] = useWord("service");
  const [client, setClient] = useWord("client");
  const [age, setAge] = useWord("older");
  const [stuck, setStuck] = useWord("stuck");
  const [last, setLast] = useState<Sessions | null>(null);
  const [ending, setEnding] = useState<OpenSession | null>(null);
  const filter = {
    number: plainNumber(useQuiet(number, QUIET_MS)),
    service,
    client: useQuiet(client, QUIET_MS).trim(),
    older_than: age === "" ? undefined : Number(age),
    stuck: stuck === "true",
  };
  const pages = usePages(
    async (after: string | undefined) => {
      const found = await gateway.sessions({ ...filter, after, limit: PAGE });
      setLast(found);
      return { rows: found.sessions, more: found.more };
    },
    placeOf,
    Object.values(filter),
  );
  // Another first page would drop the older rows.
  useEvery(REFRESH_MS, { again: pages.again, isLoading: pages.isLoading || pages.hasOlder });
  return (
    <>
      <div className="filters">
        <TextField
          label="Number"
          type="search"
          inputMode="tel"
          value={number}
          onValue={setNumber}
          placeholder="any digits of it"
        />
        <SelectField label="Service" value={service} onValue={setService}>
          <option value="">all</option>
          {services.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <TextField label="Client" type="search" value={client} onValue={setClient} placeholder="msc1" />
        <SelectField label="Older than" value={age} onValue={setAge}>
          <option value="">any age</option>
          {AGES.map(([seconds, name]) => (
            <option key={seconds} value={seconds}>
              {name}
            </option>
          ))}
        </SelectField>
        <label className="tick">
          <input
            type="checkbox"
            checked={filter.stuck}
            onChange={({ target }) => setStuck(target.checked ? "true" : "")}
          />
          stuck only
        </label>
      </div>
      {last?.masked === true && <p className="muted">Numbers are masked: your role does not see subscriber data.</p>}
      <List
        {...pages}
        label="Sessions"
        columns={columnsOf(last, mayEnd ? setEnding : null)}
        rowKey={placeOf}
        empty={
          <Empty icon="accounts" title="No sessions">
            <p>
              A call or connection is here from its first request until its last. None is in progress that you look for.
            </p>
          </Empty>
        }
      />
      {ending !== null && (
        <EndSessionDialog
          name={ownName(ending.account)}
          session={ending}
          onClose={() => setEnding(null)}
          onDone={() => {
            setEnding(null);
            pages.again();
          }}
        />
      )}
    </>
  );
}

function columnsOf(last: Sessions | null, onEnd: ((session: OpenSession) => void) | null): Column<OpenSession>[] {
  const currency = last?.currency ?? "";
  const columns: Column<OpenSession>[] = [
    {
      name: "Number",
      isWide: true,
      cell: ({ number, account }) => (
        <Link className="fixed break" href={accountAddress(ownName(account))}>
          {number === "" ? ownName(account) : visible(number)}
        </Link>
      ),
      value: ({ number }) => number,
    },
    { name: "Service", cell: ({ services }) => services.join(", "), value: ({ services }) => services.join(", ") },
    {
      name: "To",
      cell: ({ called }) => <span className="fixed">{visible(called)}</span>,
      value: ({ called }) => called,
    },
    {
      name: "Client",
      cell: ({ client, session }) => (
        <>
          {visible(client)}
          {last?.masked !== true && <MessagesLink session={session} />}
        </>
      ),
      value: ({ client }) => client,
    },
    { name: "Began", cell: ({ start }) => <Moment at={start} isAgo />, value: ({ start }) => start },
    { name: "Used", cell: ({ used }) => used, value: ({ used }) => used },
    { name: "Granted", cell: ({ granted }) => granted, value: ({ granted }) => granted },
    {
      name: "Reserved",
      isNumber: true,
      cell: ({ reserved }) => `${reserved} ${currency}`,
      value: ({ reserved }) => reserved,
      compare: (one, other) => compareAmounts(one.reserved, other.reserved),
    },
    {
      name: "Valid until",
      cell: (session) => <StuckMark session={session} />,
      value: ({ valid_until }) => valid_until,
    },
  ];
  if (onEnd !== null)
    columns.push({
      name: "What to do",
      cell: (session) => (
        <button type="button" className="button" onClick={() => onEnd(session)}>
          End…
        </button>
      ),
    });
  return columns;
}

const MessagesLink = ({ session }: { session: string }) => (
  <Link className="below" href={messagesAddress({ session })} aria-label={`messages of the session ${session}`}>
    messages
  </Link>
);
