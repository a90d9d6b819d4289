/** The login. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Session } from "../api/types";
import { Failure } from "../parts/failure";
import { TextField } from "../parts/field";
import { useDeed } from "../parts/load";
import { useTitle } from "../parts/page";
import { Gate } from "./gate";

export function LoginPage({ onSession }: { onSession: (session: Session) => void }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const deed = useDeed();
  useTitle("Log in");
  const login = () => deed.run(async () => onSession(await gateway.login(name, password)));
  return (
    <Gate title="Log in" onSubmit={login}>
      <TextField label="Name" value={name} onValue={setName} autoComplete="username" autoFocus required />
      <TextField
        label="Password"
        type="password"
        value={password}
        onValue={setPassword}
        autoComplete="current-password"
        required
      />
      {deed.problem !== null && <Failure problem={deed.problem} />}
      <button type="submit" className="button button-main" disabled={deed.isBusy}>
        Log in
      </button>
      <p className="muted">
        No account yet, or the password is lost? An administrator makes a link for you, on the page “People”. The first
        one comes in by the link that <code>tollgate serve</code> says when it starts.
      </p>
    </Gate>
  );
}
