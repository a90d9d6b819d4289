/** Throughput and delay over time, and the threads. The plot library is loaded on demand. */
import "../styles/plots.css";

import { gateway } from "../api/gateway";
import type { History } from "../api/types";
import { useLive } from "../live/live";
import { useEffect } from "react";
import { SelectField } from "../parts/field";
import { useLoad } from "../parts/load";
import { octets, short } from "../parts/numbers";
import { Await, Empty, Page } from "../parts/page";
import { useWord } from "../router/router";
import { Plot } from "./plot";
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
  const [minutes, setMinutes] = useWord("minutes");
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
        <SelectField label="Range" value={range} onValue={(value) => setMinutes(value === HOUR ? "" : value)}>
          {RANGES.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </SelectField>
      </div>
      <Await loaded={loaded}>{(history) => <Plots history={history} />}</Await>
      <Threads />
    </Page>
  );
}

function Plots({ history }: { history: History }) {
  if (!history.records.some((value) => value !== null && value > 0)) {
    return (
      <Empty icon="plots" title="Nothing was processed in this time">
        <p>Choose a longer range, or look at the graph for what waits.</p>
      </Empty>
    );
  }
  // The last point of a month covers half an hour.
  const now = history.step_seconds < 60 ? "now" : "last";
  return (
    <div className="plots">
      {PLOTS.map(({ key, title, unit, colour }) => {
        const values = history[key];
        const { last, most, mean } = summary(values);
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
              colour={colour}
              unit={unit}
              label={`${title}: ${now} ${words(last)}, mean ${words(mean)}, most ${words(most)}`}
            />
          </section>
        );
      })}
    </div>
  );
}
