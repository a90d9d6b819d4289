/** Subscribers in a CSV file with the columns "number", "amount" and perhaps "type", as `tollgate subscriber import` reads it. */
import { Refusal } from "../api/client";
import type { NewSubscriber } from "../api/types";

/** The subscribers of one request. The gateway takes twice as many. */
export const AT_ONCE = 5_000;

/** The letters of a line that an error shows. */
const SHOWN_MAX = 80;

const plain = (text: string) => text.trim().replace(/^"+|"+$/g, "");

/** A number as the gateway stores it, so that "+46 70" and "4670" are the same. */
const stored = (number: string) => number.replace(/[ \-./()]/g, "").replace(/^\+/, "");

export interface SubscriberFile {
  subscribers: NewSubscriber[];
  /** The lines that have the number of a line before, and are left out. */
  repeated: number[];
}

/** Reads a file. The first line may have the names of the columns. */
export function subscribersIn(name: string, text: string): SubscriberFile {
  const all = text.split(/\r?\n/).flatMap((line, place) => {
    if (line.trim() === "" || (place === 0 && line.startsWith("number"))) return [];
    const [number, amount, type, ...more] = line.split(",").map(plain);
    if (number === undefined || amount === undefined || more.length > 0)
      throw new Refusal(
        0,
        `${name}:${place + 1}: "${line.slice(0, SHOWN_MAX)}" is no line of "number,amount" or "number,amount,type".`,
      );
    return [{ number, amount, ...(type ? { subscriber_type: type } : {}), line: place + 1 }];
  });
  const file: SubscriberFile = { subscribers: [], repeated: [] };
  const known = new Set<string>();
  for (const subscriber of all) {
    const number = stored(subscriber.number);
    if (known.has(number)) file.repeated.push(subscriber.line);
    else file.subscribers.push(subscriber);
    known.add(number);
  }
  return file;
}
