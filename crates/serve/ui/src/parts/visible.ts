/** Texts that come from elsewhere, as names of files do: what is not seen of them is written out, as the gateway's log does. */

/** Controls, what changes the direction of text (UAX #9), and what has no width. */
const HIDDEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const unit = (code: number) => `\\u${code.toString(16).padStart(4, "0")}`;

/** Two names that look alike are told apart by it, and none reads backwards. */
export const visible = (text: string): string =>
  text.replace(
    HIDDEN,
    (found) => SHORT[found] ?? [...Array(found.length).keys()].map((at) => unit(found.charCodeAt(at))).join(""),
  );
