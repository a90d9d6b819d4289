/** All that a message has: where it is from, and its AVPs. */
import type { MessageAvp } from "../api/types";
import { count } from "../parts/numbers";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { messagesAddress } from "./address";
import { type Rung, avpName, precise } from "./messages";
import { milliseconds } from "./peers";

export function MessageDetail({ rung: { message, tookUs } }: { rung: Rung }) {
  const { at, peer, address, sent, session, hop_by_hop, octets, avps } = message;
  return (
    <>
      <dl className="facts">
        <dt>Time</dt>
        <dd>{precise(at)} UTC</dd>
        {tookUs !== null && (
          <>
            <dt>After its request</dt>
            <dd>{milliseconds(tookUs)}</dd>
          </>
        )}
        <dt>{sent ? "To" : "From"}</dt>
        <dd className="fixed">
          <Link href={messagesAddress({ peer })}>{visible(peer)}</Link> at {visible(address)}
        </dd>
        {session != null && (
          <>
            <dt>Session</dt>
            <dd className="fixed">
              <Link href={messagesAddress({ session })}>{visible(session)}</Link>
            </dd>
          </>
        )}
        <dt>Hop-by-hop</dt>
        <dd>{hop_by_hop}</dd>
        <dt>Octets</dt>
        <dd>{count(octets)}</dd>
      </dl>
      {avps.length === 0 ? <p className="muted">It has no AVPs.</p> : <Avps of={avps} label="AVPs" />}
    </>
  );
}

/** AVPs do not change, and two can be alike: their place identifies them. */
function Avps({ of, label }: { of: readonly MessageAvp[]; label?: string }) {
  return (
    <ul className="avps" aria-label={label}>
      {of.map((avp, place) => (
        <li key={place}>
          <span className="avp-name">{avpName(avp)}</span>
          {avp.vendor != null && avp.vendor !== 0 && <span className="muted"> vendor {avp.vendor}</span>}
          {avp.value != null && avp.value !== "" && <span className="avp-value fixed">{visible(avp.value)}</span>}
          {avp.members != null && avp.members.length > 0 && <Avps of={avp.members} />}
        </li>
      ))}
    </ul>
  );
}
