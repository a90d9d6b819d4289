/** Rows of a table as a file: CSV (RFC 4180) or JSON. */
import { type Column, type Value, columnId } from "./table-model";

export type Format = "csv" | "json";

export const FORMATS: Record<Format, { name: string; type: string }> = {
  csv: { name: "CSV", type: "text/csv;charset=utf-8" },
  json: { name: "JSON", type: "application/json" },
};

export const FORMAT_NAMES: readonly Format[] = ["csv", "json"];

/** Returns the text of a file with these rows. A column without values, such as one of buttons, is left out. */
export function exported<T>(format: Format, columns: readonly Column<T>[], rows: readonly T[]): string {
  const named = columns.filter((column) => column.value !== undefined);
  const valueOf = (row: T, column: Column<T>) => column.value?.(row) ?? null;
  if (format === "json") {
    const objects = rows.map((row) =>
      Object.fromEntries(named.map((column) => [columnId(column), valueOf(row, column)])),
    );
    // A number that JavaScript cannot represent is written as text, so that its digits stay.
    const plain = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
    return `${JSON.stringify(objects, plain, 2)}\n`;
  }
  const lines = [named.map((column) => column.name), ...rows.map((row) => named.map((column) => valueOf(row, column)))];
  return lines.map((line) => `${line.map(field).join(",")}\r\n`).join("");
}

/** What makes a spreadsheet take a text for a formula. File names and reasons come from other machines. */
const BEGINS_FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Writes a field. An apostrophe makes a spreadsheet take a text for text; numbers are never formulas. */
export function field(value: Value): string {
  const text = value === null ? "" : String(value);
  const safe = typeof value === "string" && BEGINS_FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns the name of a file, such as `tollgate-files-2026-11-27T120000Z.csv`. */
export function fileName(label: string, format: Format, now: Date): string {
  const words = label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return `tollgate-${words}-${now.toISOString().replace(/\.\d+|:/g, "")}.${format}`;
}

/** Lets the browser save texts or octets, one behind the other, as a file. */
export function save(name: string, type: string, ...parts: BlobPart[]): void {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
