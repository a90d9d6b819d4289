/** Whether a node is visible, and how far the view must move for that. */
import { NODE_HEIGHT, NODE_WIDTH } from "./layout";

/** The least distance between a node and the edge of the view. */
const MARGIN = 16;

export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

/** Returns the viewport that shows the node with the least movement, or null if it is visible. */
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

/** Returns the viewport with the node in the middle, at its natural size. */
export function inTheMiddle(place: { x: number; y: number }, frame: { width: number; height: number }): Viewport {
  return { x: frame.width / 2 - place.x - NODE_WIDTH / 2, y: frame.height / 2 - place.y - NODE_HEIGHT / 2, zoom: 1 };
}
