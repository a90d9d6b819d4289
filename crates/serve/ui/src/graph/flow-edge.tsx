/** An edge from one node to another, with its records per second and in the chosen window. */
import { BaseEdge, EdgeLabelRenderer, type EdgeProps, Position, getBezierPath } from "@xyflow/react";
import { memo } from "react";

import { edgeOf, ofEdge } from "../live/figures";
import { useFlowing } from "../live/live";
import { perSecond, short } from "../parts/numbers";
import type { FlowEdge } from "./shown";

/** The distance between the figures of edges between the same two nodes. */
const LABEL_HEIGHT = 36;

export const FlowEdgeLine = memo(function FlowEdgeLine({ data, ...props }: EdgeProps<FlowEdge>) {
  return data === undefined ? null : <Line {...props} data={data} />;
});

function Line(props: EdgeProps<FlowEdge> & { data: NonNullable<FlowEdge["data"]> }) {
  const { id, data, target, selected, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition } = props;
  const figures = useFlowing(edgeOf(data.source, data.stream, target), ofEdge(data.source, data.stream, target));
  const [path, middleX, middleY] = getBezierPath({
    sourceX,
    sourceY,
    targetX,
    targetY,
    sourcePosition,
    targetPosition,
  });
  const rate = figures?.rate ?? 0;
  const isAcross = sourcePosition === Position.Right;
  const isForward = isAcross ? targetX > sourceX : targetY > sourceY;
  const along = isAcross ? curve(sourceX, targetX, sourceY, targetY) : curve(sourceY, targetY, sourceX, targetX);
  const [x, y] = !isForward ? [middleX, middleY] : isAcross ? along : [along[1], along[0]];
  return (
    <>
      {figures !== null && <title>{figures.words}</title>}
      <BaseEdge
        id={id}
        path={path}
        interactionWidth={24}
        className={`edge ${selected === true ? "edge-selected" : ""} ${rate > 0 ? "edge-flowing" : ""}`}
        style={{ strokeWidth: width(rate) }}
      />
      {figures !== null && (
        <EdgeLabelRenderer>
          <div
            className="edge-figures figures"
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y + data.place * LABEL_HEIGHT}px)` }}
          >
            <b>{perSecond(figures.rate)}</b>
            <span>{short(figures.records)}</span>
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

/** Returns a point of the curve a little after its middle. The names of streams are before it. */
function curve(start: number, end: number, startBeside: number, endBeside: number): [number, number] {
  const t = 0.6;
  const control = (start + end) / 2;
  const weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t), t ** 3] as const;
  return [
    weights[0] * start + (weights[1] + weights[2]) * control + weights[3] * end,
    (weights[0] + weights[1]) * startBeside + (weights[2] + weights[3]) * endBeside,
  ];
}

/**
 * Returns the width of a line. It grows with the logarithm of the rate, so that ten and a million records a second are
 * both visible.
 */
const width = (rate: number) => 1.5 + Math.log10(1 + rate) * 0.55;
