/** How the lines of a file end. The editor knows line feeds alone; a file from a spreadsheet has carriage returns before them. */

export type LineEnd = "\n" | "\r\n";

/** The end of the first line says it for all. */
export const lineEndOf = (text: string): LineEnd => (/^[^\n]*\r\n/.test(text) ? "\r\n" : "\n");

/** A text as the editor has it. */
export const asEdited = (text: string) => text.replace(/\r\n?/g, "\n");

/** A text of the editor, as its file has it. */
export const asInFile = (text: string, end: LineEnd) => (end === "\n" ? text : text.replaceAll("\n", end));
