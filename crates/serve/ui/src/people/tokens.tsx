/** Tokens by which programs use the API. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Token } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { SelectField } from "../parts/field";
import { Sublist } from "../parts/list";
import { useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { moment } from "../parts/numbers";
import { Await } from "../parts/page";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { DAYS, DAYS_USUAL, expiry } from "./expiry";
import { NamedRoleDialog } from "./named-role-dialog";
import { SecretDialog } from "./secret-dialog";

type Shown =
  | { what: "make" }
  | { what: "token"; name: string; token: string; until: string }
  | { what: "remove"; token: Token }
  | null;

export function Tokens() {
  const loaded = useLoad(gateway.tokens, []);
  const [shown, setShown] = useState<Shown>(null);
  const [days, setDays] = useState(DAYS_USUAL);
  const close = () => setShown(null);
  const remove = async (token: Token) => {
    await gateway.removeToken(token.id);
    say(`The token ${token.name} is removed.`);
    close();
    loaded.again();
  };
  const columns: Column<Token>[] = [
    { name: "Name", cell: (token) => <b>{token.name}</b>, value: (token) => token.name },
    { name: "Role", cell: (token) => token.role, value: (token) => token.role },
    { name: "Since", cell: (token) => <Moment at={token.since} />, value: (token) => token.since },
    {
      name: "Last used",
      cell: (token) => (token.last_used == null ? "never" : <Moment at={token.last_used} />),
      value: (token) => token.last_used,
    },
    {
      name: "Valid until",
      cell: (token) => {
        const { mark, words } = expiry(token.until, Date.now());
        return (
          <>
            <Moment at={token.until} /> {mark !== null && <span className={`mark mark-${mark}`}>{words}</span>}
          </>
        );
      },
      value: (token) => token.until,
    },
    {
      name: "What to do",
      isWide: true,
      cell: (token) => (
        <button
          type="button"
          className="button button-grave"
          aria-label={`Remove token ${token.name}`}
          onClick={() => setShown({ what: "remove", token })}
        >
          Remove
        </button>
      ),
    },
  ];
  return (
    <section className="section">
      <div className="section-head">
        <h2>Tokens</h2>
        <button type="button" className="button" onClick={() => setShown({ what: "make" })}>
          Make a token…
        </button>
      </div>
      <Await loaded={loaded}>
        {({ tokens }) =>
          tokens.length === 0 ? (
            <p className="muted">
              None. A program that uses the API has one, and sends it as “Authorization: Bearer …”.
            </p>
          ) : (
            <Sublist label="Tokens" columns={columns} rows={tokens} rowKey={(token) => token.id} />
          )
        }
      </Await>
      {shown?.what === "make" && (
        <NamedRoleDialog
          title="Make a token"
          word="Make it"
          help="Which program it is for."
          onClose={close}
          onNamed={async (name, role) => {
            const { token, until } = await gateway.makeToken(name, role, days);
            loaded.again();
            setShown({ what: "token", name, token, until });
          }}
        >
          <SelectField
            label="Valid for"
            value={days}
            onValue={(value) => setDays(Number(value))}
            help="After that the program is refused. Make another token before, under another name."
          >
            {DAYS.map(([each, words]) => (
              <option key={each} value={each}>
                {words}
              </option>
            ))}
          </SelectField>
        </NamedRoleDialog>
      )}
      {shown?.what === "token" && (
        <SecretDialog
          title={`The token ${shown.name}`}
          label="Token"
          secret={shown.token}
          help={`Give it to the program. Who has it may do what its role may, until ${moment(shown.until)} UTC.`}
          onClose={close}
        />
      )}
      {shown?.what === "remove" && (
        <AskDialog
          title={`Remove the token ${shown.token.name}?`}
          onClose={close}
          answers={[{ word: "Remove", look: "grave", deed: () => remove(shown.token) }]}
        >
          <p>The program that has it is refused from now on.</p>
        </AskDialog>
      )}
    </section>
  );
}
