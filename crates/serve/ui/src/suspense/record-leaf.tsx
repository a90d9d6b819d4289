/** A value without parts, in a field for its type. */
import { type Exact, ExactNumber, isNumber } from "../api/exact-json";
import type { RecordType } from "../api/types";
import { digitsOf, packed, unpacked } from "./shape";

interface LeafProps {
  id: string;
  /** The full name. */
  name: string;
  value: Exact;
  /** Null if the type is unknown or the value does not fit it. */
  type: RecordType | null;
  isEdited: boolean;
  change: (value: Exact) => void;
}

const isWhole = (text: string) => /^-?(0|[1-9]\d*)$/.test(text);
const isOctets = (text: string) => /^([\da-f]{2})*$/i.test(text);

/** Values that JSON has no number for (X.697, 23). */
const SPECIAL = ["INF", "-INF", "NaN", "-0"];

export function Leaf(props: LeafProps) {
  const { value, type, change } = props;
  if (typeof value === "boolean")
    return (
      <Words {...props} words={["true", "false"]} text={String(value)} write={(word) => change(word === "true")} />
    );
  if (type?.kind === "enumerated" && type.words !== undefined) return <Enumerated {...props} words={type.words} />;
  if (value instanceof ExactNumber) {
    const isRight = type?.kind === "integer" ? isWhole(value.text) : isNumber(value.text);
    const write = (text: string) => change(type?.kind === "real" ? real(text) : new ExactNumber(text.trim()));
    return <Line {...props} text={value.text} inputMode="numeric" isRight={isRight} write={write} />;
  }
  const text = typeof value === "string" ? value : "NULL";
  const digits = type?.kind === "packed-digits" ? unpacked(text) : null;
  if (digits !== null) {
    const write = (written: string) => change(packed(digitsOf(written)));
    return <Line {...props} text={digits} inputMode="tel" isRight write={write} />;
  }
  if (type?.kind === "digits")
    return <Line {...props} text={text} inputMode="tel" isRight write={(written) => change(digitsOf(written))} />;
  if (type?.kind === "real")
    return <Line {...props} text={text} isRight={SPECIAL.includes(text)} write={(written) => change(real(written))} />;
  const isRight = type === null || !["octets", "packed-digits"].includes(type.kind) || isOctets(text);
  return <Line {...props} text={text} isRight={isRight} write={change} />;
}

const real = (text: string): Exact => (SPECIAL.includes(text.trim()) ? text.trim() : new ExactNumber(text.trim()));

/** A value without a name in the enumeration stays until the user chooses another one. */
function Enumerated(props: LeafProps & { words: readonly string[] }) {
  const { value, words, change } = props;
  const text = value instanceof ExactNumber ? value.text : String(value);
  const all = words.includes(text) ? words : [text, ...words];
  return <Words {...props} words={all} text={text} write={(word) => word !== text && change(word)} />;
}

interface WordsProps extends LeafProps {
  words: readonly string[];
  text: string;
  write: (word: string) => void;
}

function Words({ id, name, isEdited, words, text, write }: WordsProps) {
  return (
    <select id={id} aria-label={name} value={text} disabled={!isEdited} onChange={(event) => write(event.target.value)}>
      {words.map((word) => (
        <option key={word}>{word}</option>
      ))}
    </select>
  );
}

interface LineProps extends LeafProps {
  text: string;
  inputMode?: "numeric" | "tel" | "text";
  isRight: boolean;
  write: (text: string) => void;
}

function Line({ id, name, value, isEdited, text, inputMode = "text", isRight, write }: LineProps) {
  return (
    <input
      id={id}
      aria-label={name}
      type="text"
      className="fixed"
      readOnly={!isEdited || value === null}
      inputMode={inputMode}
      aria-invalid={!isRight}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => write(event.target.value)}
    />
  );
}
