/** The last alerts, the newest first. */
import type { FraudAlert } from "../api/types";
import { Failure } from "../parts/failure";
import type { Loaded } from "../parts/load";
import { moment } from "../parts/numbers";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { caseAddress, subjectAddress } from "./address";
import { SeverityShape } from "./severity";
import { shortTime } from "./shift";

export function LastAlerts({ loaded }: { loaded: Loaded<{ alerts: FraudAlert[]; masked?: boolean }> }) {
  const { value, problem, again } = loaded;
  return (
    <section className="shift-alerts" aria-label="Last alerts">
      <h2>
        <Link href="/fraud/alerts">Last alerts</Link>
      </h2>
      {problem !== null && <Failure problem={problem} again={again} />}
      {value?.alerts.length === 0 && <p className="muted">No rule has found anything yet.</p>}
      <ol>
        {value?.alerts.map((alert) => (
          <Alert key={alert.id} of={alert} isMasked={value.masked === true} />
        ))}
      </ol>
    </section>
  );
}

function Alert({ of, isMasked }: { of: FraudAlert; isMasked: boolean }) {
  const { at, severity, rule, key, score, case: number, shadow } = of;
  const to = number != null ? caseAddress(number) : isMasked ? null : subjectAddress(key);
  return (
    <li className="shift-alert">
      <time dateTime={at} title={`${moment(at)} UTC`}>
        {shortTime(at, Date.now())}
      </time>
      <span title={severity}>
        <SeverityShape of={severity} />
        <span className="unseen">{severity}</span>
      </span>
      <div className="shift-what">
        {to === null ? (
          <span className="fixed break">{visible(key)}</span>
        ) : (
          <Link className="fixed break" href={to}>
            {visible(key)}
          </Link>
        )}
        <span className="below muted break">
          {visible(rule)}, {score} points{shadow === true && ", tried out"}
          {number != null && `, case ${number}`}
        </span>
      </div>
    </li>
  );
}
