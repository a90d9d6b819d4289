/** A time in UTC. Its title has the local time. */
import { ago, moment } from "./numbers";

export function Moment({ at, isAgo = false }: { at: string; isAgo?: boolean }) {
  const local = new Date(at).toLocaleString();
  return (
    <time dateTime={at} title={`${moment(at)} UTC, ${local} here`} className="time">
      {isAgo ? ago(at, Date.now()) : moment(at)}
    </time>
  );
}
