/** Line ends of files. The editor uses line feeds; a file from a spreadsheet can have carriage returns before them. */

export type LineEnd = "\n" | "\r\n";

/** Returns the line end of the first line, which stands for all. */
export const lineEndOf = (text: string): LineEnd => (/^[^\n]*\r\n/.test(text) ? "\r\n" : "\n");

/** Converts a text for the editor. */
export const asEdited = (text: string) => text.replace(/\r\n?/g, "\n");

/** Converts the editor's text for the file. */
export const asInFile = (text: string, end: LineEnd) => (end === "\n" ? text : text.replaceAll("\n", end));

/** Converts a text for a comparison. Neither the kind of line ends nor a missing last one is a difference. */
export function asCompared(text: string): string {
  const edited = asEdited(text);
  return edited === "" || edited.endsWith("\n") ? edited : `${edited}\n`;
}
