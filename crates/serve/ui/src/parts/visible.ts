/** Escapes invisible characters in texts from outside, such as file names, as the gateway's log does. */

/** Control characters, characters that change the direction of text (UAX #9), and zero-width characters. */
const HIDDEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const unit = (code: number) => `\\u${code.toString(16).padStart(4, "0")}`;

/** Escapes the characters, so that similar names differ visibly and no text is shown backwards. */
export const visible = (text: string): string =>
  text.replace(
    HIDDEN,
    (found) => SHORT[found] ?? [...Array(found.length).keys()].map((at) => unit(found.charCodeAt(at))).join(""),
  );
