/** The page of a one-time link: the user chooses a password, and at the first start a name. */
import { useState } from "react";

import { Refusal } from "../api/client";
import { gateway } from "../api/gateway";
import type { Session } from "../api/types";
import { Failure } from "../parts/failure";
import { TextField } from "../parts/field";
import { useDeed, useLoad } from "../parts/load";
import { useTitle } from "../parts/page";
import { go } from "../router/router";
import { Gate } from "./gate";
import { PASSWORD_HELP, passwordProblem } from "./password";

/** The status for a link that is not valid. */
const REFUSED = 401;

export function WelcomePage({ onSession }: { onSession: (session: Session) => void }) {
  // The link is behind `#`, so that it does not reach servers or logs in between.
  const [link] = useState(() => window.location.hash.slice(1));
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const deed = useDeed();
  // Check the link first, so that no user thinks of a password for an invalid one.
  const looked = useLoad(async () => (link === "" ? undefined : gateway.lookAtLink(link)), [link]);
  useTitle("Welcome");
  const invited = looked.value?.name ?? null;
  const enter = () =>
    deed.run(async () => {
      const problem = passwordProblem(password, again);
      if (problem !== null) throw new Refusal(0, problem);
      const session = await gateway.welcome(link, invited ?? name.trim(), password);
      go("/graph", "replace");
      onSession(session);
    });
  if (link === "") {
    return (
      <Gate title="Welcome" onSubmit={() => go("/login")}>
        <p>This page needs the whole link, with what stands behind “#”.</p>
        <p className="muted">
          At its first start the gateway writes it to standard error. An administrator can make a new one on the page
          “People”.
        </p>
        <button type="submit" className="button">
          To the login
        </button>
      </Gate>
    );
  }
  if (looked.problem?.status === REFUSED) {
    return (
      <Gate title="Welcome" onSubmit={() => go("/login")}>
        <Failure problem={looked.problem} />
        <p className="muted">
          A link works once, for a day. The first administrator's is written to standard error when the gateway starts,
          each time anew as long as there is none; all others an administrator makes on the page “People”.
        </p>
        <button type="submit" className="button">
          To the login
        </button>
      </Gate>
    );
  }
  return (
    <Gate title="Welcome" onSubmit={enter}>
      {invited !== null && <p>Welcome, {invited}. Choose the password that you will log in with.</p>}
      <TextField
        label="Name"
        value={invited ?? name}
        onValue={setName}
        readOnly={invited !== null}
        autoComplete="username"
        help={`What you log in with.${looked.value == null ? " If you were invited you have one: leave this empty." : ""}`}
      />
      <TextField
        label="Password"
        type="password"
        value={password}
        onValue={setPassword}
        autoComplete="new-password"
        help={PASSWORD_HELP}
        required
      />
      <TextField
        label="Password, once more"
        type="password"
        value={again}
        onValue={setAgain}
        autoComplete="new-password"
        required
      />
      {deed.problem !== null && <Failure problem={deed.problem} />}
      <button type="submit" className="button button-main" disabled={deed.isBusy}>
        Begin
      </button>
    </Gate>
  );
}
