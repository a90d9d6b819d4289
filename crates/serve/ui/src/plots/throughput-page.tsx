/** Throughput and delay over time, and the threads. The plot library is loaded on demand. */
import "../styles/plots.css";

import { useEffect, useMemo } from "react";

import { gateway } from "../api/gateway";
import type { History } from "../api/types";
import { useLive } from "../live/live";
import { SelectField } from "../parts/field";
import { useHeldFocus } from "../parts/held-focus";
import { useLoad } from "../parts/load";
import { moment, octets, short } from "../parts/numbers";
import { Await, Empty, Page } from "../parts/page";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { Link, changeWords, useAddress, useWord } from "../router/router";
import { type Mark, marksIn, marksOf } from "./marks";
import { Plot } from "./plot";
import { type Range, moved, rangeOf, scaled, valuesIn } from "./range";
import { summary } from "./summary";
import { Threads } from "./threads";

/** In minutes, as in the address. */
const RANGES: [string, string][] = [
  ["15", "15 minutes"],
  ["60", "an hour"],
  ["1440", "a day"],
  ["43200", "a month"],
];

const HOUR = "60";

const PLOTS: {
  key: "records" | "octets" | "delay_seconds" | "suspended";
  title: string;
  unit: (value: number) => string;
  colour: string;
}[] = [
  { key: "records", title: "Records a second", unit: short, colour: "--accent" },
  {
    key: "delay_seconds",
    title: "Delay of the slowest file, from its coming to its delivery, in seconds",
    unit: (value) => value.toFixed(1),
    colour: "--filter",
  },
  { key: "octets", title: "Octets a second", unit: octets, colour: "--formatter" },
  { key: "suspended", title: "Suspended a second", unit: short, colour: "--major" },
];

/** The interval of requests. The plot of a day does not change within seconds. */
const AGAIN_MS = 10_000;
const AGAIN_LONG_MS = 60_000;

export function ThroughputPage() {
  const [minutes] = useWord("minutes");
  const range = RANGES.some(([value]) => value === minutes) ? minutes : HOUR;
  const againMs = Number(range) > Number(HOUR) ? AGAIN_LONG_MS : AGAIN_MS;
  const loaded = useLoad(() => gateway.history(Number(range)), [range]);
  const isConnected = useLive((live) => live.isConnected);
  useEffect(() => {
    if (!isConnected) return;
    const timer = setInterval(loaded.again, againMs);
    return () => clearInterval(timer);
  }, [isConnected, loaded.again, againMs]);
  return (
    <Page
      title="Throughput"
      lead="What the gateway did, and how long it took, also before it was started anew. Times are UTC."
    >
      <div className="filters">
        <SelectField
          label="Range"
          value={range}
          onValue={(value) => changeWords({ minutes: value === HOUR ? "" : value, from: "", to: "" })}
        >
          {RANGES.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </SelectField>
      </div>
      <Await loaded={loaded}>{(history) => <Plots history={history} minutes={Number(range)} />}</Await>
      <Threads />
    </Page>
  );
}

/** Loads the marks: the latest versions and alarms. Plots are shown without them if they cannot be loaded. */
function useMarks(): Mark[] {
  const changes = useLive((live) => live.changes);
  const versions = useLoad(() => gateway.versions({ limit: 50 }), [], [changes.versions, changes.flow]).value?.versions;
  const alarms = useLoad(() => gateway.alarms(true, { limit: 200 }), [], [changes.alarms]).value?.alarms;
  return useMemo(() => marksOf(versions ?? [], alarms ?? []), [versions, alarms]);
}

function Plots({ history, minutes }: { history: History; minutes: number }) {
  const { query } = useAddress();
  const marks = useMarks();
  if (!history.records.some((value) => value !== null && value > 0)) {
    return (
      <Empty icon="plots" title="Nothing was processed in this time">
        <p>Choose a longer range, or look at the graph for what waits.</p>
      </Empty>
    );
  }
  const end = history.at.at(-1) ?? 0;
  const whole: Range = { from: end - minutes * 60, to: end };
  const zoomed = rangeOf(query.get("from") ?? "", query.get("to") ?? "", whole);
  const range = zoomed ?? whole;
  const zoom = (next: Range | null) => {
    const isAll = next === null || (next.from <= whole.from && next.to >= whole.to);
    changeWords(isAll ? { from: "", to: "" } : { from: String(next.from), to: String(next.to) });
  };
  // The last point of a month covers half an hour.
  const now = zoomed !== null ? "last" : history.step_seconds < 60 ? "now" : "last";
  const shown = marksIn(marks, range);
  return (
    <>
      <Zoom range={range} whole={whole} isZoomed={zoomed !== null} onZoom={zoom} />
      <div className="plots">
        {PLOTS.map(({ key, title, unit, colour }) => {
          const values = history[key];
          const { last, most, mean } = summary(valuesIn(history.at, values, range));
          const words = (value: number | null) => (value === null ? "–" : unit(value));
          return (
            <section key={key} className="section plot" aria-label={title}>
              <div className="section-head">
                <h2>{title}</h2>
                <p className="muted figures">
                  {now} <b>{words(last)}</b>, mean {words(mean)}, most {words(most)}
                </p>
              </div>
              <Plot
                at={history.at}
                values={values}
                range={range}
                marks={marks}
                colour={colour}
                unit={unit}
                label={`${title}: ${now} ${words(last)}, mean ${words(mean)}, most ${words(most)}`}
                onZoom={zoom}
              />
            </section>
          );
        })}
      </div>
      {shown.length > 0 && <Marks marks={shown} />}
    </>
  );
}

interface ZoomProps {
  range: Range;
  whole: Range;
  isZoomed: boolean;
  onZoom: (range: Range | null) => void;
}

/** What dragging over a plot does, for the keyboard. */
function Zoom({ range, whole, isZoomed, onZoom }: ZoomProps) {
  const group = useHeldFocus<HTMLDivElement>();
  return (
    <div className="zoom" role="group" aria-label="Times shown" ref={group}>
      <button type="button" className="button" onClick={() => onZoom(scaled(range, 1 / 2, whole))}>
        Zoom in
      </button>
      <button type="button" className="button" disabled={!isZoomed} onClick={() => onZoom(scaled(range, 2, whole))}>
        Zoom out
      </button>
      <button
        type="button"
        className="button"
        disabled={range.from <= whole.from}
        onClick={() => onZoom(moved(range, -1 / 2, whole))}
      >
        Earlier
      </button>
      <button
        type="button"
        className="button"
        disabled={range.to >= whole.to}
        onClick={() => onZoom(moved(range, 1 / 2, whole))}
      >
        Later
      </button>
      <button type="button" className="button" disabled={!isZoomed} onClick={() => onZoom(null)}>
        Show all
      </button>
      <span className="muted figures" role="status">
        {moment(timeOf(range.from))} to {moment(timeOf(range.to))}
      </span>
    </div>
  );
}

const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString();

/** The marks of the plots in words, with links. */
function Marks({ marks }: { marks: readonly Mark[] }) {
  return (
    <section className="section" aria-label="Marks">
      <h2>Marks</h2>
      <ul className="plain">
        {marks.map(({ at, kind, text, href }, place) => (
          <li key={place}>
            <span className={`mark mark-${kind === "alarm" ? "critical" : "quiet"}`}>{kind}</span>{" "}
            <Moment at={timeOf(at)} /> <Link href={href}>{visible(text)}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
