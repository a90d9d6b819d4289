/** Whether a node is seen, and how far the graph has to be moved for that. */
import { NODE_HEIGHT, NODE_WIDTH } from "./layout";

/** Room that is left between a node and the edge of the window. */
const MARGIN = 16;

export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

/** The viewport in which the node is seen, moved no farther than it has to be; none where it is seen already. */
export function inSight(
  place: { x: number; y: number },
  viewport: Viewport,
  frame: { width: number; height: number },
): Viewport | null {
  const x = moved(place.x * viewport.zoom + viewport.x, NODE_WIDTH * viewport.zoom, frame.width);
  const y = moved(place.y * viewport.zoom + viewport.y, NODE_HEIGHT * viewport.zoom, frame.height);
  return x === 0 && y === 0 ? null : { ...viewport, x: viewport.x + x, y: viewport.y + y };
}

function moved(start: number, size: number, room: number): number {
  if (start < MARGIN) return MARGIN - start;
  const beyond = start + size - (room - MARGIN);
  return beyond > 0 ? -beyond : 0;
}

/** The viewport in which the node is in the middle, as large as it is drawn. */
export function inTheMiddle(place: { x: number; y: number }, frame: { width: number; height: number }): Viewport {
  return { x: frame.width / 2 - place.x - NODE_WIDTH / 2, y: frame.height / 2 - place.y - NODE_HEIGHT / 2, zoom: 1 };
}
