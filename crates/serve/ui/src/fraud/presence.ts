/** Whether the flow has rules. */
import type { Graph } from "../api/types";

export const hasFraudNode = (graph: Graph | null): boolean =>
  graph?.nodes.some(({ kind }) => kind === "fraud") ?? false;
