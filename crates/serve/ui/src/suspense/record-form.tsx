/** A record's fields, each by its type. What cannot be said in a field can be said as JSON. */
import { useId } from "react";

import { type Exact, ExactNumber, Members, type Path, isNumber, replaced } from "../api/exact-json";

interface FormProps {
  record: Exact;
  isEdited: boolean;
  onChange: (record: Exact) => void;
}

export function RecordForm({ record, isEdited, onChange }: FormProps) {
  const change = (path: Path, value: Exact) => onChange(replaced(record, path, value));
  return (
    <div className="record-form">
      <Value value={record} path={[]} isEdited={isEdited} change={change} />
    </div>
  );
}

interface ValueProps {
  value: Exact;
  path: Path;
  isEdited: boolean;
  change: (path: Path, value: Exact) => void;
}

const isList = (value: Exact): value is readonly Exact[] => Array.isArray(value);

function Value({ value, path, isEdited, change }: ValueProps) {
  const inner: (readonly [string | number, Exact])[] | null =
    value instanceof Members
      ? [...value.entries]
      : isList(value)
        ? value.map((each, place) => [place, each] as const)
        : null;
  if (inner === null) return <Leaf value={value} path={path} isEdited={isEdited} change={change} />;
  return (
    <>
      {inner.length === 0 && <p className="muted">empty</p>}
      {inner.map(([step, each]) => {
        const isLeaf = !(each instanceof Members) && !isList(each);
        const here = [...path, step];
        return isLeaf ? (
          <Value key={step} value={each} path={here} isEdited={isEdited} change={change} />
        ) : (
          <fieldset key={step} className="record-group">
            <legend className="label fixed">
              {typeof step === "number" ? `${String(path.at(-1) ?? "")}[${step}]` : step}
            </legend>
            <Value value={each} path={here} isEdited={isEdited} change={change} />
          </fieldset>
        );
      })}
    </>
  );
}

/** The field's whole name is read out, `details.roaming`; its own is shown. */
const nameOf = (path: Path) =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");

function Leaf({ value, path, isEdited, change }: ValueProps) {
  const id = useId();
  const name = nameOf(path);
  const last = path.at(-1);
  const isNumeric = value instanceof ExactNumber;
  const text = isNumeric ? value.text : typeof value === "string" ? value : String(value);
  return (
    <div className="record-field">
      <label htmlFor={id} className="fixed">
        {typeof last === "number" ? `[${last}]` : (last ?? "record")}
      </label>
      {typeof value === "boolean" ? (
        <select
          id={id}
          aria-label={name}
          value={text}
          disabled={!isEdited}
          onChange={(event) => change(path, event.target.value === "true")}
        >
          <option>true</option>
          <option>false</option>
        </select>
      ) : (
        <input
          id={id}
          aria-label={name}
          type="text"
          className="fixed"
          readOnly={!isEdited || value === null}
          inputMode={isNumeric ? "numeric" : "text"}
          aria-invalid={isNumeric && !isNumber(text)}
          autoComplete="off"
          spellCheck={false}
          value={value === null ? "NULL" : text}
          onChange={(event) =>
            change(path, isNumeric ? new ExactNumber(event.target.value.trim()) : event.target.value)
          }
        />
      )}
    </div>
  );
}

/** A field that has no number in it where one belongs; none where all is well. */
export function mistakeIn(value: Exact, path: Path = []): string | null {
  if (value instanceof ExactNumber)
    return isNumber(value.text) ? null : `"${value.text}" in ${nameOf(path)} is no number.`;
  const inner: (readonly [string | number, Exact])[] =
    value instanceof Members
      ? [...value.entries]
      : isList(value)
        ? value.map((each, place) => [place, each] as const)
        : [];
  for (const [step, each] of inner) {
    const found = mistakeIn(each, [...path, step]);
    if (found !== null) return found;
  }
  return null;
}
