/** Compares two texts line by line (E. Myers, "An O(ND) difference algorithm", 1986). */

export interface Side {
  /** Counts from 1. */
  line: number;
  text: string;
}

/** A row of two columns: the same on both sides, changed, or on one side only. */
export interface Row {
  kind: "same" | "changed" | "removed" | "added";
  before: Side | null;
  after: Side | null;
}

/** With more differences than this, the search for the minimum stops and everything in between is one change. */
const DIFFERENCES_MAX = 800;

export function diff(before: string, after: string): Row[] {
  const one = lines(before);
  const other = lines(after);
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const rows: Row[] = [];
  for (let at = 0; at < start; at += 1) rows.push(same(one, at, at));
  rows.push(...paired(one, other, common(one, other, start, end), start, end));
  for (let left = end; left > 0; left -= 1) rows.push(same(one, one.length - left, other.length - left));
  return rows;
}

/** A final line end adds no empty line. A carriage return is part of the line end. */
const lines = (text: string) => (text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/));

const same = (one: string[], at: number, place: number): Row => ({
  kind: "same",
  before: { line: at + 1, text: one[at]! },
  after: { line: place + 1, text: one[at]! },
});

/** Returns the pairs of indexes at which the lines are equal, in order. */
function common(one: string[], other: string[], start: number, end: number): [number, number][] {
  const left = one.length - start - end;
  const right = other.length - start - end;
  const reach = Math.min(left + right, DIFFERENCES_MAX);
  // The farthest point on each diagonal, for each number of differences. `back` follows them to the start.
  const farthest: Map<number, number>[] = [];
  let current = new Map<number, number>([[1, 0]]);
  for (let differences = 0; differences <= reach; differences += 1) {
    farthest.push(new Map(current));
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      const isDown =
        diagonal === -differences ||
        (diagonal !== differences && (current.get(diagonal - 1) ?? -1) < (current.get(diagonal + 1) ?? -1));
      let x = isDown ? (current.get(diagonal + 1) ?? 0) : (current.get(diagonal - 1) ?? 0) + 1;
      let y = x - diagonal;
      while (x < left && y < right && one[start + x] === other[start + y]) {
        x += 1;
        y += 1;
      }
      current.set(diagonal, x);
      if (x >= left && y >= right) return back(farthest, differences, left, right, start);
    }
    current = new Map(current);
  }
  return [];
}

function back(
  farthest: Map<number, number>[],
  differences: number,
  left: number,
  right: number,
  start: number,
): [number, number][] {
  const pairs: [number, number][] = [];
  let x = left;
  let y = right;
  for (let step = differences; step >= 0; step -= 1) {
    const reached = farthest[step]!;
    const diagonal = x - y;
    const isDown =
      diagonal === -step ||
      (diagonal !== step && (reached.get(diagonal - 1) ?? -1) < (reached.get(diagonal + 1) ?? -1));
    const from = isDown ? diagonal + 1 : diagonal - 1;
    const fromX = reached.get(from) ?? 0;
    const fromY = fromX - from;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      x -= 1;
      y -= 1;
      pairs.push([start + x, start + y]);
    }
    if (step === 0) break;
    x = fromX;
    y = fromY;
  }
  return pairs.reverse();
}

/** Builds rows. Lines between equal ones stand side by side as long as both sides have some. */
function paired(one: string[], other: string[], pairs: [number, number][], start: number, end: number): Row[] {
  const rows: Row[] = [];
  let x = start;
  let y = start;
  for (const [at, place] of [...pairs, [one.length - end, other.length - end] as [number, number]]) {
    while (x < at || y < place) {
      const before = x < at ? { line: x + 1, text: one[x]! } : null;
      const after = y < place ? { line: y + 1, text: other[y]! } : null;
      rows.push({ kind: before === null ? "added" : after === null ? "removed" : "changed", before, after });
      if (before !== null) x += 1;
      if (after !== null) y += 1;
    }
    if (at < one.length - end) {
      rows.push(same(one, at, place));
      x = at + 1;
      y = place + 1;
    }
  }
  return rows;
}

export interface Counts {
  added: number;
  removed: number;
}

export function counts(rows: Row[]): Counts {
  const of = (kinds: Row["kind"][]) => rows.filter((row) => kinds.includes(row.kind)).length;
  return { added: of(["added", "changed"]), removed: of(["removed", "changed"]) };
}

/** Rows to show, or equal rows that are hidden. */
export type Part = { rows: Row[] } | { leftOut: Row[] };

/** Hides the rows that are far from any change. */
export function parts(rows: Row[], around = 3): Part[] {
  const near = rows.map(() => false);
  rows.forEach((row, at) => {
    if (row.kind === "same") return;
    for (let place = Math.max(0, at - around); place <= Math.min(rows.length - 1, at + around); place += 1)
      near[place] = true;
  });
  const found: Part[] = [];
  rows.forEach((row, at) => {
    const last = found.at(-1);
    if (near[at] === true) {
      if (last !== undefined && "rows" in last) last.rows.push(row);
      else found.push({ rows: [row] });
    } else if (last !== undefined && "leftOut" in last) last.leftOut.push(row);
    else found.push({ leftOut: [row] });
  });
  return found;
}

/** Returns the length of the common start and end of a changed line. The change is in between. */
export function within(before: string, after: string): { start: number; end: number } {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { start, end };
}
