/** The calls and connections of an account in progress. */
import type { OpenSession, PrepaidAccount } from "../api/types";
import { useHeldFocus } from "../parts/held-focus";
import { type Column, Table } from "../parts/table";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { messagesAddress } from "./address";
import { StuckMark } from "./stuck-mark";

interface SessionsProps {
  account: PrepaidAccount;
  /** Null if the user may not. */
  onEnd: ((session: OpenSession) => void) | null;
}

/** The letters of a key that distinguish the sessions of an account. */
const KEY_LETTERS = 8;

export function Sessions({ account: { sessions, currency }, onEnd }: SessionsProps) {
  const group = useHeldFocus<HTMLElement>();
  const open = sessions.filter(({ ended }) => !ended);
  const columns: Column<OpenSession>[] = [
    { name: "Service", isWide: true, cell: ({ services }) => services.join(", ") },
    { name: "To", cell: ({ called }) => <span className="fixed">{visible(called)}</span> },
    { name: "Client", cell: ({ client }) => visible(client) },
    { name: "Used", cell: ({ used }) => used },
    { name: "Granted", cell: ({ granted }) => granted },
    { name: "Reserved", isNumber: true, cell: ({ reserved }) => `${reserved} ${currency}` },
    { name: "Valid until", cell: (session) => <StuckMark session={session} /> },
    {
      name: "Session",
      cell: ({ session }) => {
        const key = session.slice(0, KEY_LETTERS);
        return (
          <>
            <span className="fixed" title={session}>
              {key}
            </span>{" "}
            <Link href={messagesAddress({ session })} aria-label={`messages of the session ${key}`}>
              messages
            </Link>
          </>
        );
      },
    },
    ...(onEnd === null
      ? []
      : [
          {
            name: "What to do",
            cell: (session: OpenSession) => (
              <button type="button" className="button" onClick={() => onEnd(session)}>
                End…
              </button>
            ),
          },
        ]),
  ];
  return (
    <section ref={group} className="section" aria-label="Open sessions">
      <h2>Open sessions</h2>
      {open.length === 0 ? (
        <p className="muted">None. A call or connection is here from its first request until its last.</p>
      ) : (
        <Table label="Open sessions" columns={columns} rows={open} rowKey={({ session }) => session} />
      )}
    </section>
  );
}
