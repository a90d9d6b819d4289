/** Which page an address is: patterns such as `/suspense/:id`, whose last part may be `*` for the rest. */

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

/** The first of the patterns that fits, and its parts. */
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

/** What is no proper escape stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
