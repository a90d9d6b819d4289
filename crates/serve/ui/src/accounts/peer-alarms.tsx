/** The alarms about peers of Diameter that are raised. */
import type { PeerAlarm } from "../api/types";
import { Icon } from "../parts/icons";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { Link } from "../router/router";

export function PeerAlarms({ of }: { of: readonly PeerAlarm[] }) {
  if (of.length === 0) return null;
  return (
    <div className="failure" role="alert">
      <Icon name="error" />
      <ul className="plain">
        {of.map(({ kind, peer, text, since }) => (
          <li key={`${kind} ${peer}`}>
            <Link href="/accounts?view=peers">{visible(peer)}</Link>: {visible(text)} (alarm since <Moment at={since} />
            )
          </li>
        ))}
      </ul>
    </div>
  );
}
