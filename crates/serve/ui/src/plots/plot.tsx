/**
 * A time series with marks, drawn by uPlot on a canvas. Dragging over a part of it zooms in, a double click shows all.
 * The cursors of all plots on a page move together.
 */
import "uplot/dist/uPlot.min.css";

import { useEffect, useRef } from "react";
import UPlot from "uplot";

import { clock } from "../parts/clock";
import { useIsDark } from "../parts/theme";
import { alone } from "./alone";
import type { Mark } from "./marks";
import type { Range } from "./range";

const HEIGHT = 190;

/** A drag of fewer pixels is a click. */
const DRAG_PX_MIN = 5;

interface PlotProps {
  /** In seconds since 1970. */
  at: number[];
  values: (number | null)[];
  /** The times to show. */
  range: Range;
  marks: readonly Mark[];
  /** The name of a colour in the style sheet. */
  colour: string;
  unit: (value: number) => string;
  label: string;
  /** Called with the times that were dragged over, or with null to show all. */
  onZoom: (range: Range | null) => void;
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

const MARK_COLOURS: Record<Mark["kind"], string> = { version: "--accent", alarm: "--critical" };

/** Draws a dashed line at the time of each mark that is shown. */
function drawMarks(plot: UPlot, marks: readonly Mark[], colours: Record<Mark["kind"], string>): void {
  const { ctx, bbox } = plot;
  const { min = 0, max = 0 } = plot.scales.x ?? {};
  ctx.save();
  ctx.lineWidth = UPlot.pxRatio;
  ctx.setLineDash([4 * UPlot.pxRatio, 3 * UPlot.pxRatio]);
  for (const { at, kind } of marks) {
    if (at < min! || at > max!) continue;
    const x = Math.round(plot.valToPos(at, "x", true));
    ctx.strokeStyle = colours[kind];
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

export function Plot(props: PlotProps) {
  const { at, values, range, marks, colour, unit, label } = props;
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const isDark = useIsDark();
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const [line, grid, text] = [colour, "--line", "--muted"].map((name) => colourOf(element, name));
    const markColours = {
      version: colourOf(element, MARK_COLOURS.version),
      alarm: colourOf(element, MARK_COLOURS.alarm),
    };
    const axis = {
      stroke: text!,
      grid: { stroke: grid!, width: 1 },
      ticks: { stroke: grid!, width: 1 },
      font: "12px system-ui, sans-serif",
    };
    const zoom = (drawn: UPlot) => {
      const { left, width } = drawn.select;
      if (width < DRAG_PX_MIN) return;
      const [from, to] = [left, left + width].map((x) => Math.round(drawn.posToVal(x, "x")));
      drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      latest.current.onZoom({ from: from!, to: to! });
    };
    const isMove = (type: string) => type === "mousemove" || type === "mouseleave";
    const drawn = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), "UTC"),
        cursor: {
          points: { size: 7 },
          drag: { x: true, y: false, setScale: false },
          bind: {
            dblclick: () => () => {
              latest.current.onZoom(null);
              return null;
            },
          },
          sync: { key: "plots", filters: { pub: isMove, sub: isMove } },
        },
        scales: {
          x: { range: () => [latest.current.range.from, latest.current.range.to] },
          y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] },
        },
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
        hooks: { setSelect: [zoom], draw: [(each) => drawMarks(each, latest.current.marks, markColours)] },
      },
      [latest.current.at, latest.current.values],
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
  useEffect(() => plot.current?.setData([at, values]), [at, values, range.from, range.to]);
  useEffect(() => plot.current?.redraw(false), [marks]);
  return <div className="plot-frame" ref={frame} role="img" aria-label={label} />;
}
