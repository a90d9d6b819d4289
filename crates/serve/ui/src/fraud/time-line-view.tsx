/**
 * A picture of when the alerts of a case were: a lane for each rule. It adds the points up, too. The list of the alerts
 * says the same, so the marks are not read out, and need no keyboard.
 */
import type { FraudAlert } from "../api/types";
import { clock } from "../parts/clock";
import { count, counted, moment } from "../parts/numbers";
import { visible } from "../parts/visible";
import { anchorOf } from "./alert-columns";
import { SeverityShape } from "./severity";
import { type Lane, timeLineOf } from "./time-line";

export function TimeLineView({ alerts }: { alerts: readonly FraudAlert[] }) {
  const line = timeLineOf(alerts);
  if (line === null) return null;
  const { from, to, lanes, ticks } = line;
  const times = ticks.map(({ at }) => at);
  return (
    <figure className="time-line">
      <figcaption className="muted">
        {from === to ? moment(iso(from)) : `${moment(iso(from))} to ${moment(iso(to))}`} UTC
      </figcaption>
      <ul>
        {lanes.map((lane) => (
          <li key={lane.rule} className="lane">
            <LaneName lane={lane} />
            <div className="lane-track" aria-hidden="true">
              {ticks.map(({ at, place }) => (
                <span key={at} className="lane-tick" style={{ left: percent(place) }} />
              ))}
              {lane.alerts.map(({ alert, place }) => (
                <span
                  key={alert.id}
                  className="lane-mark"
                  style={{ left: percent(place) }}
                  title={`${moment(alert.at)} UTC: ${visible(alert.condition)}`}
                  onClick={() => lookAt(alert)}
                >
                  <SeverityShape of={alert.severity} />
                </span>
              ))}
            </div>
          </li>
        ))}
      </ul>
      <div className="lane lane-axis" aria-hidden="true">
        <div className="lane-track">
          {ticks.map(({ at, place }) => (
            <span key={at} className="lane-time" style={{ left: percent(place) }}>
              {clock(at, times)}
            </span>
          ))}
        </div>
      </div>
    </figure>
  );
}

function LaneName({ lane: { rule, points, alerts } }: { lane: Lane }) {
  return (
    <div className="lane-name">
      <span className="break">{visible(rule)}</span>
      <span className="below muted">
        {points === 1 ? "1 point" : `${count(points)} points`}, {counted(alerts.length, "alert")}
      </span>
    </div>
  );
}

const percent = (place: number) => `${(place * 100).toFixed(2)}%`;

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

/** Goes to the alert in the list below. */
function lookAt({ id }: FraudAlert): void {
  const row = document.getElementById(anchorOf(id));
  row?.scrollIntoView({ block: "center" });
  row?.focus({ preventScroll: true });
}
