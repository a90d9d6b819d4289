/** From an octet to the part that it is of, and from a part to its octets. */
import type { RecordPart } from "../api/types";

/** A part by its places among those it lies with, the outermost first. */
export type Path = readonly number[];

export const keyOf = (path: Path) => path.join(".");

export function partAt(parts: readonly RecordPart[], path: Path): RecordPart | null {
  let [found, within]: [RecordPart | null, readonly RecordPart[]] = [null, parts];
  for (const place of path) {
    found = within[place] ?? null;
    if (found === null) return null;
    within = found.parts;
  }
  return found;
}

/** The innermost part that has an octet. */
export function pathTo(parts: readonly RecordPart[], octet: number): Path {
  const place = parts.findIndex((part) => octet >= part.offset && octet < part.offset + part.length);
  return place < 0 ? [] : [place, ...pathTo(parts[place]!.parts, octet)];
}

/** The names on the way to a part; the record's type, which all have, left out. */
export function wayTo(parts: readonly RecordPart[], path: Path): string {
  const names = path.map((_, depth) => partAt(parts, path.slice(0, depth + 1))!.name);
  return (names.length > 1 ? names.slice(1) : names).join(".");
}

/** All parts in the order in which they are shown, with how deep they lie. */
export function inOrder(parts: readonly RecordPart[], above: Path = []): { path: Path; part: RecordPart }[] {
  return parts.flatMap((part, place) => {
    const path = [...above, place];
    return [{ path, part }, ...inOrder(part.parts, path)];
  });
}

/** What an octet is to the part that is chosen. */
export function roleOf(octet: number, part: RecordPart | null): "content" | "around" | "" {
  if (part === null || octet < part.offset || octet >= part.offset + part.length) return "";
  return octet >= part.content_offset && octet < part.content_offset + part.content_length ? "content" : "around";
}
