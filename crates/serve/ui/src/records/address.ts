/** The viewer's address: which file, and where in it. */

export type FileOf =
  { job: number; post_processing_system?: string } | { delivery: number } | { network_element: string; file: string };

/** What of the address says which file it is. */
export const FILE_WORDS = ["job", "post_processing_system", "delivery", "network_element", "file"] as const;

/** And what is wanted of it. */
export const WANTED_WORDS = ["record", "at", "field", "value"] as const;

export function recordsAddress(of: FileOf, record?: number): string {
  const words = new URLSearchParams();
  for (const [word, value] of Object.entries(of)) if (value !== undefined) words.set(word, String(value));
  if (record !== undefined) words.set("record", String(record));
  return `/records?${words.toString()}`;
}

/** The same file, with something else of it. */
export function elsewhere(
  query: URLSearchParams,
  wanted: Partial<Record<(typeof WANTED_WORDS)[number], string>>,
): string {
  const words = new URLSearchParams();
  for (const word of FILE_WORDS) if (query.has(word)) words.set(word, query.get(word)!);
  for (const [word, value] of Object.entries(wanted)) if (value !== "") words.set(word, value);
  return `/records?${words.toString()}`;
}

/** What the gateway is asked for, or nothing while no file is named. */
export function asked(query: URLSearchParams): Record<string, string> | null {
  const words = [...FILE_WORDS, ...WANTED_WORDS].flatMap((word) => {
    const value = query.get(word) ?? "";
    return value === "" ? [] : [[word, value] as const];
  });
  const found = Object.fromEntries(words);
  return FILE_WORDS.some((word) => found[word] !== undefined) ? found : null;
}
