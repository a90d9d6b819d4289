/** Subscribers in a CSV file with the columns "number" and "amount", as `tollgate subscriber import` reads it. */
import { Refusal } from "../api/client";
import type { NewSubscriber } from "../api/types";

/** The subscribers of one request. The gateway takes twice as many. */
export const AT_ONCE = 5_000;

/** The letters of a line that an error shows. */
const SHOWN_MAX = 80;

const plain = (text: string) => text.trim().replace(/^"+|"+$/g, "");

/** Reads a file. The first line may have the names of the columns. */
export function subscribersIn(name: string, text: string): NewSubscriber[] {
  return text.split(/\r?\n/).flatMap((line, place) => {
    if (line.trim() === "" || (place === 0 && line.startsWith("number"))) return [];
    const at = line.indexOf(",");
    if (at < 0)
      throw new Refusal(0, `${name}:${place + 1}: "${line.slice(0, SHOWN_MAX)}" is no line of "number,amount".`);
    return [{ number: plain(line.slice(0, at)), amount: plain(line.slice(at + 1)) }];
  });
}
