/** The state of the gateway, on every page: throughput, waiting items and alarms. */
import type { ReactNode } from "react";

import type { AlarmCounts } from "../api/types";
import { alarmsRaised, allRecords, filesWaiting, flowing, inAllSpans } from "../live/figures";
import { useLive } from "../live/live";
import { count, perSecond } from "../parts/numbers";
import { Link } from "../router/router";

export function Standing() {
  const now = useLive((live) => live.now);
  const isConnected = useLive((live) => live.isConnected);
  return (
    <section className="standing" aria-label="How the gateway stands">
      <div className="standing-live">
        <span className={`dot ${isConnected ? "dot-fine" : "dot-wrong"}`} aria-hidden="true" />
        <span role="status">{isConnected ? "Live" : "No connection"}</span>
        {/* In a narrow window, only this shows the time zone of the page's times. */}
        <span className="standing-zone">
          UTC{now !== null && <span className="standard-figure"> {now.at.slice(11, 19)}</span>}
        </span>
      </div>
      <Standard name="Records" href="/throughput" title={now === null ? undefined : inAllSpans(now, allRecords)}>
        {perSecond(now === null ? null : flowing(now, "ten_seconds", allRecords).rate)}
      </Standard>
      <Standard name="Files waiting" href="/graph">
        {now === null ? "–" : count(filesWaiting(now))}
      </Standard>
      <Standard name="In suspense" href="/suspense" state={now !== null && now.suspense_open > 0 ? "minor" : undefined}>
        {now === null ? "–" : count(now.suspense_open)}
      </Standard>
      <Standard name="Alarms" href="/alarms" state={now === null ? undefined : worst(now.alarms_unacknowledged)}>
        {now === null ? "–" : alarmsInWords(now.alarms)}
      </Standard>
      {now !== null && now.threads.all > 0 && (
        <Standard name="Threads" isSpare>
          {now.threads.working}/{now.threads.all}
        </Standard>
      )}
      {now?.journal_is_written === false && (
        <Standard name="Journal" state="critical">
          not written
        </Standard>
      )}
      {now?.room === "low" && (
        <Standard name="Room" href="/alarms" state="critical">
          low
        </Standard>
      )}
      {now !== null && (
        <Standard name="UTC" isSpare>
          {now.at.slice(11, 19)}
        </Standard>
      )}
    </section>
  );
}

interface StandardProps {
  name: string;
  href?: string;
  state?: keyof AlarmCounts | undefined;
  title?: string | undefined;
  /** Whether a narrow window omits it. */
  isSpare?: boolean;
  children: ReactNode;
}

function Standard({ name, href, state, title, isSpare = false, children }: StandardProps) {
  const className = ["standard", state !== undefined && `standard-${state}`, isSpare && "standard-spare"]
    .filter(Boolean)
    .join(" ");
  const inside = (
    <>
      <span className="standard-name">{name}</span> <span className="standard-figure">{children}</span>
    </>
  );
  return href === undefined ? (
    <div className={className}>{inside}</div>
  ) : (
    <Link className={className} href={href} title={title}>
      {inside}
    </Link>
  );
}

const SEVERITIES = ["critical", "major", "minor", "warning"] as const;

export const worst = (counts: AlarmCounts) => SEVERITIES.find((severity) => counts[severity] > 0);

/** Returns the number of alarms of the worst severity, and of the rest. */
export function alarmsInWords(counts: AlarmCounts): string {
  const most = worst(counts);
  if (most === undefined) return "none";
  const rest = alarmsRaised(counts) - counts[most];
  return `${counts[most]} ${most}${rest > 0 ? ` +${rest}` : ""}`;
}
