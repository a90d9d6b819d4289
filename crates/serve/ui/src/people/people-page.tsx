/** Users and their roles, and tokens for programs. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Person, Role } from "../api/types";
import { Actions } from "../parts/actions";
import { AskDialog } from "../parts/ask-dialog";
import { Failure } from "../parts/failure";
import { List } from "../parts/list";
import { useDeed, useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { Page } from "../parts/page";
import { useSession } from "../parts/session";
import type { Column } from "../parts/table";
import { Moment } from "../parts/time";
import { NamedRoleDialog } from "./named-role-dialog";
import { ROLES } from "./roles";
import { SecretDialog } from "./secret-dialog";
import { Tokens } from "./tokens";

type Shown =
  { what: "invite" } | { what: "link"; name: string; link: string } | { what: "remove"; name: string } | null;

export function PeoplePage() {
  const { session } = useSession();
  const loaded = useLoad(gateway.people, []);
  const deed = useDeed();
  const [shown, setShown] = useState<Shown>(null);
  const close = () => setShown(null);
  const change = (name: string, role: Role) =>
    deed.run(async () => {
      await gateway.changeRole(name, role);
      say(`${name} is ${role} now.`);
      loaded.again();
    });
  const link = (name: string) =>
    deed.run(async () => setShown({ what: "link", name, link: (await gateway.newLink(name)).link }));
  const remove = async (name: string) => {
    await gateway.removePerson(name);
    say(`${name} is removed.`);
    close();
    loaded.again();
  };
  const columns: Column<Person>[] = [
    { name: "Name", cell: (person) => <b>{person.name}</b>, value: (person) => person.name },
    {
      name: "Role",
      cell: (person) =>
        person.name === session.name ? (
          person.role
        ) : (
          <select
            aria-label={`Role of ${person.name}`}
            value={person.role}
            onChange={(event) => change(person.name, event.target.value as Role)}
          >
            {ROLES.map(([role]) => (
              <option key={role}>{role}</option>
            ))}
          </select>
        ),
      value: (person) => person.role,
    },
    { name: "Since", cell: (person) => <Moment at={person.since} />, value: (person) => person.since },
    {
      name: "Last login",
      cell: (person) =>
        person.invited ? (
          <span className="mark mark-minor">invited, not here yet</span>
        ) : person.last_login == null ? (
          "never"
        ) : (
          <Moment at={person.last_login} />
        ),
      value: (person) => person.last_login,
      isDescendingFirst: true,
    },
    { name: "Sessions", isNumber: true, cell: (person) => person.sessions, value: (person) => person.sessions },
    {
      name: "What to do",
      isWide: true,
      cell: (person) => (
        <span className="actions">
          <button
            type="button"
            className="button"
            onClick={() => link(person.name)}
            aria-label={`New link for ${person.name}`}
          >
            New link
          </button>
          {person.name !== session.name && (
            <button
              type="button"
              className="button button-grave"
              onClick={() => setShown({ what: "remove", name: person.name })}
              aria-label={`Remove ${person.name}`}
            >
              Remove
            </button>
          )}
        </span>
      ),
    },
  ];
  return (
    <Page
      title="People"
      lead={ROLES.map(([role, words]) => `${role}: ${words}`).join(". ") + "."}
      actions={<Actions of={[{ name: "Invite…", look: "main", run: () => setShown({ what: "invite" }) }]} />}
    >
      {deed.problem !== null && <Failure problem={deed.problem} />}
      <List
        {...loaded}
        label="People"
        columns={columns}
        rows={loaded.value?.people ?? null}
        rowKey={(person) => person.name}
        // The user of this page is one of them.
        empty={null}
      />
      <Tokens />
      {shown?.what === "invite" && (
        <NamedRoleDialog
          title="Invite somebody"
          word="Make a link"
          help="What the person logs in with, and what the trail tells."
          onClose={close}
          onNamed={async (name, role) => {
            const { link: made } = await gateway.invite(name, role);
            loaded.again();
            setShown({ what: "link", name, link: made });
          }}
        />
      )}
      {shown?.what === "link" && (
        <SecretDialog
          title={`A link for ${shown.name}`}
          label="One-time link"
          secret={new URL(shown.link, window.location.origin).href}
          help={`Give it to ${shown.name} over a private channel. It works once: the first user who opens it chooses the password.`}
          onClose={close}
        />
      )}
      {shown?.what === "remove" && (
        <AskDialog
          title={`Remove ${shown.name}?`}
          onClose={close}
          answers={[{ word: "Remove", look: "grave", deed: () => remove(shown.name) }]}
        >
          <p>
            {shown.name} is logged out at once, and cannot log in again. What {shown.name} did stays in the trail.
          </p>
        </AskDialog>
      )}
    </Page>
  );
}
