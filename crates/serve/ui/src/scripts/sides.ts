/** Compares the fields of a record with those of its results. */
import type { Became, SampleRecord } from "../api/types";
import { type Exact, ExactNumber, Members, parse } from "../api/exact-json";

/** A field with its value on each side. Null if the side lacks it. */
export interface Side {
  field: string;
  came: string | null;
  now: string | null;
  edited: string | null;
}

/** Returns the fields of all sides, in their order. */
export function sides(came: string, now: SampleRecord["now"], edited: Became): Side[] {
  const of = { came: fieldsOf(came, ""), now: made(now), edited: made(edited) };
  const names = new Set([...of.came.keys(), ...of.now.keys(), ...of.edited.keys()]);
  const at = (fields: ReadonlyMap<string, string>, field: string) => fields.get(field) ?? null;
  return [...names].map((field) => ({
    field,
    came: at(of.came, field),
    now: at(of.now, field),
    edited: at(of.edited, field),
  }));
}

/** Returns whether the edited script gives another result. */
export const isOther = (now: SampleRecord["now"], edited: Became) =>
  now != null && JSON.stringify(now) !== JSON.stringify(edited);

/** Returns the fields of the results. With several records, each field has the record's number before its name. */
function made(became: SampleRecord["now"]): Map<string, string> {
  const records = became?.records ?? [];
  const all = records.map((json, place) => fieldsOf(json, records.length === 1 ? "" : `record ${place + 1}`));
  return new Map(all.flatMap((fields) => [...fields]));
}

function fieldsOf(json: string, above: string): Map<string, string> {
  const fields = new Map<string, string>();
  if (json !== "") add(fields, above, parse(json));
  return fields;
}

function add(fields: Map<string, string>, path: string, value: Exact): void {
  if (value instanceof Members) {
    for (const [name, each] of value.entries) add(fields, path === "" ? name : `${path}.${name}`, each);
  } else if (Array.isArray(value)) {
    (value as readonly Exact[]).forEach((each, place) => add(fields, `${path}[${place}]`, each));
  } else {
    fields.set(path, value instanceof ExactNumber ? value.text : String(value));
  }
}
