/** Finds the part of an octet, and the octets of a part. */
import type { RecordPart } from "../api/types";

/** A part, by the indexes from the outermost part inwards. */
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

/** Returns the innermost part that contains an octet. */
export function pathTo(parts: readonly RecordPart[], octet: number): Path {
  const place = parts.findIndex((part) => octet >= part.offset && octet < part.offset + part.length);
  return place < 0 ? [] : [place, ...pathTo(parts[place]!.parts, octet)];
}

/** Returns the names on the path to a part, without the record's own type. */
export function wayTo(parts: readonly RecordPart[], path: Path): string {
  const names = path.map((_, depth) => partAt(parts, path.slice(0, depth + 1))!.name);
  return (names.length > 1 ? names.slice(1) : names).join(".");
}

/** Returns all parts in the order on the page, with their paths. */
export function inOrder(parts: readonly RecordPart[], above: Path = []): { path: Path; part: RecordPart }[] {
  return parts.flatMap((part, place) => {
    const path = [...above, place];
    return [{ path, part }, ...inOrder(part.parts, path)];
  });
}

/** Returns the values of a record in a line, each behind its names: `caller=46701234567  place.cell=4701`. */
export const valuesInWords = (parts: readonly RecordPart[]): string =>
  inOrder(parts)
    .filter(({ part }) => part.value != null)
    .map(({ path, part }) => `${wayTo(parts, path)}=${part.value}${part.is_cut ? "…" : ""}`)
    .join("  ");

/**
 * Returns the role of an octet in the selected part: `content`, or `around` for the octets around it (tag and length).
 */
export function roleOf(octet: number, part: RecordPart | null): "content" | "around" | "" {
  if (part === null || octet < part.offset || octet >= part.offset + part.length) return "";
  return octet >= part.content_offset && octet < part.content_offset + part.content_length ? "content" : "around";
}
