/** A text in a table that may be long: two lines of it, and a button that shows the whole text. */
import { useState } from "react";

/** The characters that fit into two lines of a narrow column. */
const SHORT_MAX = 50;

export function Cut({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= SHORT_MAX) return text;
  return (
    <>
      <span className={isWhole ? "below break" : "two-lines"}>{text}</span>
      <button type="button" className="as-link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? "less" : "the whole text"}
      </button>
    </>
  );
}
