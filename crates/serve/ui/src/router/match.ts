/** Matches addresses to pages by patterns such as `/suspense/:id`. A last part `*` matches the rest. */

export type Parts = { [name: string]: string };

export function match(pattern: string, path: string): Parts | null {
  const wanted = split(pattern);
  const given = split(path);
  const parts: Parts = {};
  for (const [place, want] of wanted.entries()) {
    if (want === "*") {
      if (given.length <= place) return null;
      parts.rest = given.slice(place).map(decoded).join("/");
      return parts;
    }
    const have = given[place];
    if (have === undefined) return null;
    if (want.startsWith(":")) parts[want.slice(1)] = decoded(have);
    else if (want !== have) return null;
  }
  return given.length === wanted.length ? parts : null;
}

/** Returns the first pattern that matches, and the values of its parts. */
export function first<T>(routes: readonly (readonly [string, T])[], path: string): { found: T; parts: Parts } | null {
  for (const [pattern, found] of routes) {
    const parts = match(pattern, path);
    if (parts !== null) return { found, parts };
  }
  return null;
}

function split(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

/** Decodes a part. A part with an invalid escape stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
