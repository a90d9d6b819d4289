/**
 * Subscribers in a CSV file with the columns "number", "amount" and perhaps "type", as `tollgate subscriber import` reads
 * it. A first line without digits names them, in any order.
 */
import type { NewSubscriber, SubscriberMistake } from "../api/types";

/** The subscribers of one request. The gateway takes twice as many. */
const AT_ONCE = 5_000;

/** The letters of a line that an error shows, and the mistakes that are listed. */
const SHOWN_MAX = 80;
const MISTAKES_MAX = 10;

/** The columns of a file that does not name them. */
const COLUMNS = ["number", "amount", "type"];

/** A number as the gateway stores it, so that "+46 70" and "4670" are the same. */
const stored = (number: string) => number.replace(/[ \-./()]/g, "").replace(/^\+/, "");

const shown = (text: string) => `"${text.slice(0, SHOWN_MAX)}"`;

export interface SubscriberFile {
  subscribers: NewSubscriber[];
  /** The lines that have the number of a line before, and are left out. */
  repeated: number[];
  /** What is wrong with the other lines. */
  mistakes: SubscriberMistake[];
}

/** Returns the parts in which subscribers are sent. */
export function* parts(subscribers: NewSubscriber[]) {
  for (let first = 0; first < subscribers.length; first += AT_ONCE) yield subscribers.slice(first, first + AT_ONCE);
}

/** Returns the first mistakes of a file, each with its place. */
export function mistakesInWords(name: string, mistakes: SubscriberMistake[]): string {
  const first = mistakes.toSorted((one, other) => one.line - other.line).slice(0, MISTAKES_MAX);
  const more = mistakes.length > MISTAKES_MAX ? ["There are more mistakes in the file."] : [];
  return [...first.map(({ line, why }) => `${name}:${line}: ${why}.`), ...more, "No account is opened."].join("\n");
}

/** Reads the text of a file. */
export function subscribersIn(text: string): SubscriberFile {
  const file: SubscriberFile = { subscribers: [], repeated: [], mistakes: [] };
  const known = new Set<string>();
  let columns = COLUMNS;
  text.split(/\r?\n/).forEach((line, place) => {
    if (line.trim() === "") return;
    try {
      const cells = cellsOf(line);
      if (place === 0 && !/\d/.test(line)) {
        columns = namedIn(cells);
        return;
      }
      const subscriber = { ...subscriberOf(cells, columns), line: place + 1 };
      const number = stored(subscriber.number);
      if (known.has(number)) file.repeated.push(subscriber.line);
      else file.subscribers.push(subscriber);
      known.add(number);
    } catch (mistake) {
      if (!(mistake instanceof LineMistake)) throw mistake;
      file.mistakes.push({ line: place + 1, why: mistake.message });
    }
  });
  return file;
}

/** What is wrong with a line. */
class LineMistake extends Error {}

/** Returns the cells of a line, without the quotation marks around them. */
const cellsOf = (line: string) =>
  line.split(",").map((raw) => {
    const cell = raw.trim();
    const inner = /^"(.*)"$/.exec(cell)?.[1] ?? cell;
    if (inner.includes('"')) throw new LineMistake(`a quotation mark in ${shown(cell)} has no other one`);
    return inner.trim();
  });

/** Returns the columns that the first line names. */
function namedIn(cells: string[]): string[] {
  const columns = cells.map((cell) => cell.toLowerCase());
  const unknown = columns.findIndex((column) => !COLUMNS.includes(column));
  if (unknown >= 0)
    throw new LineMistake(`there is no column ${shown(cells[unknown]!)}; number, amount and type are possible`);
  const missing = ["number", "amount"].find((column) => !columns.includes(column));
  if (missing !== undefined) throw new LineMistake(`there is no column "${missing}"`);
  const repeated = columns.find((column, place) => columns.indexOf(column) !== place);
  if (repeated !== undefined) throw new LineMistake(`there are two columns "${repeated}"`);
  return columns;
}

function subscriberOf(cells: string[], columns: string[]): NewSubscriber {
  // A type at the end may be left out.
  const least = columns.at(-1) === "type" ? columns.length - 1 : columns.length;
  if (cells.length < least || cells.length > columns.length)
    throw new LineMistake(`${shown(cells.join(","))} is no line of "${columns.join(",")}"`);
  const cell = (name: string) => cells[columns.indexOf(name)] ?? "";
  const type = cell("type");
  return { number: cell("number"), amount: cell("amount"), ...(type === "" ? {} : { subscriber_type: type }) };
}
