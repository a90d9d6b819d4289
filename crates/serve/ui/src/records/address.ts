/** The address of the viewer: the file, and the place in it. */
import type { QueryOf } from "../api/ask";
import { said } from "../api/client";

export type FileOf =
  { job: number; post_processing_system?: string } | { delivery: number } | { network_element: string; file: string };

/** The parameters that identify the file. */
export const FILE_WORDS = ["job", "post_processing_system", "delivery", "network_element", "file"] as const;

/** The parameters that select within the file. */
export const WANTED_WORDS = ["record", "at", "field", "value"] as const;

type Word = (typeof FILE_WORDS | typeof WANTED_WORDS)[number];

export function recordsAddress(of: FileOf, record?: number): string {
  const words = new URLSearchParams();
  for (const [word, value] of Object.entries(of)) if (value !== undefined) words.set(word, String(value));
  if (record !== undefined) words.set("record", String(record));
  return `/records?${words.toString()}`;
}

/** Returns the address of the same file with another selection. */
export function elsewhere(
  query: URLSearchParams,
  wanted: Partial<Record<(typeof WANTED_WORDS)[number], string>>,
): string {
  const words = new URLSearchParams();
  for (const word of FILE_WORDS) if (query.has(word)) words.set(word, query.get(word)!);
  for (const [word, value] of Object.entries(wanted)) if (value !== "") words.set(word, value);
  return `/records?${words.toString()}`;
}

/** Returns the parameters of the request, or null if the address names no file. */
export function asked(query: URLSearchParams): QueryOf<"GET /api/records"> | null {
  if (FILE_WORDS.every((word) => (query.get(word) ?? "") === "")) return null;
  const text = (word: Word) => query.get(word) ?? "";
  const number = (word: Word) => (text(word) === "" ? undefined : Number(text(word)));
  return said({
    job: number("job"),
    post_processing_system: text("post_processing_system"),
    delivery: number("delivery"),
    network_element: text("network_element"),
    file: text("file"),
    record: number("record"),
    at: text("at"),
    field: text("field"),
    value: text("value"),
  });
}
