/** Tokens by which programs use the API. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Role, Token } from "../api/types";
import { Dialog } from "../parts/dialog";
import { SelectField, TextField } from "../parts/field";
import { useDeed, useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { Await } from "../parts/page";
import { type Column, Table } from "../parts/table";
import { Moment } from "../parts/time";
import { ROLES } from "./roles";
import { SecretDialog } from "./secret-dialog";
import { SureDialog } from "./sure-dialog";

type Shown =
  { what: "make" } | { what: "token"; name: string; token: string } | { what: "remove"; token: Token } | null;

export function Tokens() {
  const loaded = useLoad(gateway.tokens, []);
  const [shown, setShown] = useState<Shown>(null);
  const close = () => setShown(null);
  const columns: Column<Token>[] = [
    { name: "Name", cell: (token) => <b>{token.name}</b> },
    { name: "Role", cell: (token) => token.role },
    { name: "Since", cell: (token) => <Moment at={token.since} /> },
    { name: "Last used", cell: (token) => (token.last_used === null ? "never" : <Moment at={token.last_used} />) },
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
            <Table label="Tokens" columns={columns} rows={tokens} rowKey={(token) => token.id} />
          )
        }
      </Await>
      {shown?.what === "make" && (
        <MakeDialog
          onClose={close}
          onMade={(name, token) => {
            loaded.again();
            setShown({ what: "token", name, token });
          }}
        />
      )}
      {shown?.what === "token" && (
        <SecretDialog
          title={`The token ${shown.name}`}
          label="Token"
          secret={shown.token}
          help="Give it to the program. Whoever has it may do what its role may."
          onClose={close}
        />
      )}
      {shown?.what === "remove" && (
        <SureDialog
          title={`Remove the token ${shown.token.name}?`}
          word="Remove"
          onClose={close}
          onSure={async () => {
            await gateway.removeToken(shown.token.id);
            say(`The token ${shown.token.name} is removed.`);
            close();
            loaded.again();
          }}
        >
          <p>The program that has it is refused from now on.</p>
        </SureDialog>
      )}
    </section>
  );
}

function MakeDialog({ onClose, onMade }: { onClose: () => void; onMade: (name: string, token: string) => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const deed = useDeed();
  const make = () => deed.run(async () => onMade(name.trim(), (await gateway.makeToken(name.trim(), role)).token));
  return (
    <Dialog
      title="Make a token"
      onClose={onClose}
      onSubmit={make}
      problem={deed.problem}
      actions={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button-main" disabled={deed.isBusy || name.trim() === ""}>
            Make it
          </button>
        </>
      }
    >
      <TextField label="Name" value={name} onValue={setName} isRequired autoFocus help="Which program it is for." />
      <SelectField label="Role" value={role} onValue={(value) => setRole(value as Role)}>
        {ROLES.map(([each, words]) => (
          <option key={each} value={each}>
            {each}: {words}
          </option>
        ))}
      </SelectField>
    </Dialog>
  );
}
