/** Finds the next node for an arrow key: along the edges, or across to a node beside. */
import type { Graph } from "../api/types";
import type { Direction, Places } from "./layout";

export type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

export const isArrow = (key: string): key is Arrow => /^Arrow(Left|Right|Up|Down)$/.test(key);

const MEANING: Record<Direction, Record<Arrow, "back" | "on" | "before" | "after">> = {
  right: { ArrowLeft: "back", ArrowRight: "on", ArrowUp: "before", ArrowDown: "after" },
  down: { ArrowUp: "back", ArrowDown: "on", ArrowLeft: "before", ArrowRight: "after" },
};

export function neighbour(
  graph: Graph,
  places: Places,
  direction: Direction,
  name: string,
  arrow: Arrow,
): string | null {
  const meaning = MEANING[direction][arrow];
  const node = graph.nodes.find((each) => each.name === name);
  const here = places.get(name);
  if (node === undefined || here === undefined) return null;
  const across = direction === "right" ? "y" : "x";
  const along = direction === "right" ? "x" : "y";
  const reached =
    meaning === "back"
      ? node.from.map((from) => from.node)
      : meaning === "on"
        ? graph.nodes.filter((each) => each.from.some((from) => from.node === name)).map((each) => each.name)
        : graph.nodes
            .map((each) => each.name)
            .filter((each) => {
              const place = places.get(each);
              if (place === undefined || place[along] !== here[along]) return false;
              return meaning === "before" ? place[across] < here[across] : place[across] > here[across];
            });
  const distance = (each: string) => Math.abs((places.get(each)?.[across] ?? Infinity) - here[across]);
  return reached.reduce<string | null>(
    (best, each) => (best === null || distance(each) < distance(best) ? each : best),
    null,
  );
}
