/**
 * The fields of a record, by type: the types determine the values to choose from, and what can be added and removed. A
 * value that does not fit its type is shown as it is. What has no field can be edited as JSON.
 */
import { useEffect, useId, useRef, useState } from "react";

import { type Exact, ExactNumber, Members, type Path, isNumber, replaced } from "../api/exact-json";
import type { RecordType } from "../api/types";
import { useHeldFocus } from "../parts/held-focus";
import { Icon } from "../parts/icons";
import { Leaf } from "./record-leaf";
import {
  type Types,
  begun,
  canGrow,
  chosen,
  fieldOf,
  fitting,
  isList,
  missing,
  typeAt,
  withField,
  without,
} from "./shape";

interface FormProps {
  record: Exact;
  /** The types of the record, if the gateway knows them. */
  types: Types | null;
  isEdited: boolean;
  onChange: (record: Exact) => void;
}

export function RecordForm({ record, types, isEdited, onChange }: FormProps) {
  const form = useHeldFocus<HTMLDivElement>();
  // The path of an added value. It gets the focus when it is rendered.
  const added = useRef<string | null>(null);
  useEffect(() => {
    if (added.current === null) return;
    const place = form.current?.querySelector(`[data-at="${CSS.escape(added.current)}"]`);
    const field = place?.querySelector<HTMLElement>("input, select, button");
    if (field != null) field.focus();
    added.current = null;
  });
  const change = (path: Path, value: Exact, goTo?: Path) => {
    added.current = goTo === undefined ? null : nameOf(goTo);
    onChange(replaced(record, path, value));
  };
  const known = types ?? [];
  return (
    <div className="record-form" ref={form}>
      <Parts value={record} type={typeAt(known, 0)} types={known} path={[]} isEdited={isEdited} change={change} />
    </div>
  );
}

interface ValueProps {
  value: Exact;
  type: RecordType | null;
  types: Types;
  path: Path;
  isEdited: boolean;
  /** Replaces the value at a path. `goTo` is the path of an added value to focus. */
  change: (path: Path, value: Exact, goTo?: Path) => void;
}

/** A value within another one, with the function that removes it, if it can be removed. */
interface PartProps extends ValueProps {
  name: string;
  remove?: (() => void) | undefined;
}

/** A value with its name: on one line, or above its parts. */
function Part(props: PartProps) {
  const { value, path, name, isEdited, change } = props;
  const id = useId();
  const type = fitting(value, props.type);
  const whole = nameOf(path);
  const remove = isEdited && props.remove !== undefined && <Remove name={whole} remove={props.remove} />;
  if (value instanceof Members || isList(value))
    return (
      <fieldset className="record-group" data-at={whole}>
        <legend className="label fixed" title={props.type?.name}>
          {name}
        </legend>
        <Parts {...props} />
        {remove}
      </fieldset>
    );
  const write = (next: Exact) => change(path, next);
  return (
    <div className="record-field" data-at={whole}>
      <label htmlFor={id} className="fixed" title={props.type?.name}>
        {name}
      </label>
      <span className="record-value">
        <Leaf id={id} name={whole} value={value} type={type} isEdited={isEdited} change={write} />
        {remove}
      </span>
    </div>
  );
}

/** The content of a value that has parts. */
function Parts(props: ValueProps) {
  const { value, path } = props;
  const type = fitting(value, props.type);
  if (value instanceof Members)
    return type?.kind === "choice" ? (
      <Choice {...props} members={value} type={type} />
    ) : (
      <Structure {...props} members={value} type={type} />
    );
  if (isList(value)) return <List {...props} values={value} type={type} />;
  return <Part {...props} name={String(path.at(-1) ?? "record")} />;
}

function Structure(props: ValueProps & { members: Members }) {
  const { members, type, types, path, isEdited, change } = props;
  const others = isEdited ? missing(types, type, members) : [];
  const add = (name: string) => {
    const field = fieldOf(type, name);
    if (type === null || field === null) return;
    change(path, withField(members, type, name, begun(types, field.type)), [...path, name]);
  };
  return (
    <>
      {members.entries.length === 0 && <p className="muted">empty</p>}
      {members.entries.map(([name, each]) => {
        const field = fieldOf(type, name);
        const remove = field?.optional === true ? () => change(path, without(members, name)) : undefined;
        const of = { value: each, type: typeAt(types, field?.type), path: [...path, name], name, remove };
        return <Part key={name} {...props} {...of} />;
      })}
      {others.length > 0 && <Add path={path} names={others.map((field) => field.name)} add={add} />}
    </>
  );
}

/** A choice. Another alternative starts empty, because alternatives share no content. */
function Choice(props: ValueProps & { members: Members; type: RecordType }) {
  const { members, type, types, path, isEdited, change } = props;
  const [name, value] = members.entries[0]!;
  const of = { value, type: typeAt(types, fieldOf(type, name)?.type), path: [...path, name], name };
  const choose = (other: string) => change(path, chosen(types, fieldOf(type, other)));
  return (
    <>
      {isEdited && (type.fields ?? []).length > 1 && (
        <select
          aria-label={path.length === 0 ? "Which record it is" : `Which of ${nameOf(path)} it is`}
          value={name}
          onChange={(event) => choose(event.target.value)}
        >
          {type.fields?.map((field) => (
            <option key={field.name}>{field.name}</option>
          ))}
        </select>
      )}
      <Part key={name} {...props} {...of} remove={undefined} />
    </>
  );
}

function List(props: ValueProps & { values: readonly Exact[] }) {
  const { values, type, types, path, isEdited, change } = props;
  const of = type?.of ?? null;
  const add = () => change(path, [...values, begun(types, of)], [...path, values.length]);
  return (
    <>
      {values.length === 0 && <p className="muted">empty</p>}
      {values.map((value, place) => {
        const here = [...path, place];
        const name = `${isList(value) || value instanceof Members ? String(path.at(-1) ?? "") : ""}[${place}]`;
        const remove = () =>
          change(
            path,
            values.filter((_, other) => other !== place),
          );
        return (
          <Part key={place} {...props} value={value} type={typeAt(types, of)} path={here} name={name} remove={remove} />
        );
      })}
      {isEdited && canGrow(types, type) && (
        <button type="button" className="button record-add" onClick={add}>
          <Icon name="add" size={14} /> Add to {nameOf(path)}
        </button>
      )}
    </>
  );
}

/** Chooses a missing field to add. */
function Add({ path, names, add }: { path: Path; names: string[]; add: (name: string) => void }) {
  const [chosen, setChosen] = useState("");
  const name = names.includes(chosen) ? chosen : names[0]!;
  const within = nameOf(path);
  return (
    <span className="record-add">
      <select
        aria-label={within === "" ? "A field to add" : `A field to add to ${within}`}
        value={name}
        onChange={(event) => setChosen(event.target.value)}
      >
        {names.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <button type="button" className="button" onClick={() => add(name)}>
        <Icon name="add" size={14} /> Add<span className="unseen"> it{within === "" ? "" : ` to ${within}`}</span>
      </button>
    </span>
  );
}

function Remove({ name, remove }: { name: string; remove: () => void }) {
  return (
    <button type="button" className="button record-remove" title={`Remove ${name}`} onClick={remove}>
      <Icon name="remove" size={14} />
      <span className="unseen">Remove {name}</span>
    </button>
  );
}

/**
 * Returns the full name of a field, such as `details.roaming`, for screen readers. The page shows only the last part.
 */
const nameOf = (path: Path) =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");

/** Returns a message about the first numeric field that contains no number, or null. */
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
