/** The terms of a new balance: what it counts, what it pays for, and until when. */
import type { AmountUnit, NewBalance } from "../api/types";
import { SelectField, TextField } from "../parts/field";
import { type Scopes, ScopeTicks } from "./scope-ticks";

export interface NewTerms {
  unit: AmountUnit;
  scopes: Scopes;
  /** A time in UTC as a field has it, or nothing. */
  until: string;
}

export const NO_TERMS: NewTerms = { unit: "money", scopes: { services: new Set(), classes: new Set() }, until: "" };

/** Returns a time in UTC that was typed, as the API has it. A field of a browser may leave out the seconds. */
export const utcOf = (typed: string) => `${typed}${typed.length === 16 ? ":00" : ""}Z`;

/** Returns the terms for a request. */
export function newBalanceOf({ unit, scopes, until }: NewTerms): NewBalance {
  const end = until === "" ? {} : { until: utcOf(until) };
  return { unit, services: [...scopes.services], classes: [...scopes.classes], ...end };
}

interface FieldsProps {
  terms: NewTerms;
  onTerms: (terms: NewTerms) => void;
  /** The services and tariff classes that a balance can be for. */
  known: { services: readonly string[]; classes: readonly string[] };
  currency: string;
}

export function NewBalanceFields({ terms, onTerms, known, currency }: FieldsProps) {
  return (
    <>
      <SelectField
        label="Unit"
        value={terms.unit}
        onValue={(value) => onTerms({ ...terms, unit: value as AmountUnit })}
      >
        <option value="money">money in {currency}</option>
        <option value="octets">octets of data</option>
        <option value="seconds">seconds of calls</option>
        <option value="events">events, such as messages</option>
      </SelectField>
      <ScopeTicks
        legend="Services; all, if nothing is chosen"
        known={known}
        chosen={terms.scopes}
        onChosen={(scopes) => onTerms({ ...terms, scopes })}
      />
      <TextField
        label="Until (UTC)"
        type="datetime-local"
        value={terms.until}
        onValue={(until) => onTerms({ ...terms, until })}
        help="Leave it empty for a balance without an end."
      />
    </>
  );
}
