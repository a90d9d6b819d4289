/** The user's own account: the password. */
import { type FormEvent, useState } from "react";

import { Refusal } from "../api/client";
import { gateway } from "../api/gateway";
import { PASSWORD_HELP, passwordProblem } from "../login/password";
import { Failure } from "../parts/failure";
import { TextField } from "../parts/field";
import { useDeed } from "../parts/load";
import { say } from "../parts/notices";
import { Page } from "../parts/page";
import { useSession } from "../parts/session";
import { Moment } from "../parts/time";

export function AccountPage() {
  const { session } = useSession();
  const [before, setBefore] = useState("");
  const [after, setAfter] = useState("");
  const [again, setAgain] = useState("");
  const deed = useDeed();
  const change = (event: FormEvent) => {
    event.preventDefault();
    void deed.run(async () => {
      const problem = passwordProblem(after, again);
      if (problem !== null) throw new Refusal(0, problem);
      await gateway.changePassword(before, after);
      say("Your password is changed.");
      for (const clear of [setBefore, setAfter, setAgain]) clear("");
    });
  };
  return (
    <Page
      title={session.name}
      lead={
        <>
          You are {session.role}
          {session.until != null && (
            <>
              , logged in until <Moment at={session.until} />
            </>
          )}
          .
        </>
      }
    >
      <form className="card account" onSubmit={change}>
        <h2>Password</h2>
        <input type="text" autoComplete="username" value={session.name} readOnly hidden />
        <TextField
          label="Password now"
          type="password"
          autoComplete="current-password"
          value={before}
          onValue={setBefore}
          required
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          value={after}
          onValue={setAfter}
          help={PASSWORD_HELP}
          required
        />
        <TextField
          label="New password, once more"
          type="password"
          autoComplete="new-password"
          value={again}
          onValue={setAgain}
          required
        />
        {deed.problem !== null && <Failure problem={deed.problem} />}
        <div className="actions">
          <button type="submit" className="button button-main" disabled={deed.isBusy}>
            Change it
          </button>
        </div>
      </form>
      <p className="muted">
        <a href="/licences.md">Licences of what this interface is made of</a>
      </p>
    </Page>
  );
}
