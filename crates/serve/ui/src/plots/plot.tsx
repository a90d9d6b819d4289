/** A time series, drawn by uPlot on a canvas. */
import "uplot/dist/uPlot.min.css";

import { useEffect, useRef } from "react";
import UPlot from "uplot";

import { useIsDark } from "../parts/theme";
import { alone } from "./alone";

const HEIGHT = 190;

interface PlotProps {
  /** In seconds since 1970. */
  at: number[];
  values: (number | null)[];
  /** The name of a colour in the style sheet. */
  colour: string;
  unit: (value: number) => string;
  label: string;
}

/** Returns the current value of a colour: a canvas cannot use CSS variables. */
function colourOf(element: Element, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Formats a time on the axis, in UTC: the date at midnight, and seconds unless all ticks are whole minutes. */
export function clock(tick: number, ticks: readonly number[]): string {
  const at = new Date(tick * 1000).toISOString();
  if (tick % 86_400 === 0) return at.slice(5, 10);
  return ticks.some((each) => each % 60 !== 0) ? at.slice(11, 19) : at.slice(11, 16);
}

export function Plot({ at, values, colour, unit, label }: PlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const latest = useRef<UPlot.AlignedData>([at, values]);
  latest.current = [at, values];
  const isDark = useIsDark();
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const [line, grid, text] = [colour, "--line", "--muted"].map((name) => colourOf(element, name));
    const axis = {
      stroke: text!,
      grid: { stroke: grid!, width: 1 },
      ticks: { stroke: grid!, width: 1 },
      font: "12px system-ui, sans-serif",
    };
    const drawn = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), "UTC"),
        cursor: { points: { size: 7 }, drag: { x: false, y: false } },
        scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
        axes: [
          { ...axis, space: 70, values: (_, ticks) => ticks.map((tick) => clock(tick, ticks)) },
          { ...axis, size: 64, values: (_, ticks) => ticks.map(unit) },
        ],
        series: [
          { label: "UTC", value: "{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}" },
          {
            label: "Value",
            stroke: line!,
            width: 1.5,
            points: { show: false, size: 5, fill: line!, filter: (drawn) => alone(Array.from(drawn.data[1]!)) },
            value: (_, value) => (value === null ? "–" : unit(value)),
          },
        ],
      },
      latest.current,
      element,
    );
    plot.current = drawn;
    const watcher = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      drawn.destroy();
      plot.current = null;
    };
  }, [colour, unit, isDark]);
  useEffect(() => plot.current?.setData([at, values]), [at, values]);
  return <div className="plot-frame" ref={frame} role="img" aria-label={label} />;
}
