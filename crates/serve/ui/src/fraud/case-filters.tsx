/** Which cases are listed. The filter is in the address. */
import type { FraudCaseState } from "../api/types";
import { SelectField, TextField } from "../parts/field";
import { Link, changeWords, useWord } from "../router/router";
import { KeySearch } from "./key-search";

const STATES: readonly FraudCaseState[] = ["open", "decided", "all"];

export interface CaseFilter {
  state: FraudCaseState;
  rule: string;
  key: string;
  /** `me`, `no-one`, or empty for anyone. */
  assigned: string;
  /** Whether only open cases are listed that no one works on. */
  isFree: boolean;
  isNarrowed: boolean;
}

export function useCaseFilter(): CaseFilter {
  const [word] = useWord("state");
  const [rule] = useWord("rule");
  const [key] = useWord("key");
  const [assigned] = useWord("assigned");
  const state = STATES.find((name) => name === word) ?? "open";
  const isFree = assigned === "no-one" && state === "open";
  return { state, rule, key, assigned, isFree, isNarrowed: rule !== "" || key !== "" || assigned !== "" };
}

interface FiltersProps {
  filter: CaseFilter;
  /** Called when another state is chosen. */
  onState: () => void;
}

export function CaseFilters({ filter: { state, rule, key, assigned, isNarrowed }, onState }: FiltersProps) {
  const choose = (value: string) => {
    onState();
    // The order and the columns of one list are not those of the other.
    const words = { state: value === "open" ? "" : value, sort: "", columns: "" };
    changeWords(assigned === "no-one" ? { ...words, assigned: "" } : words);
  };
  return (
    <div className="filters">
      <SelectField label="State" value={state} onValue={choose}>
        {STATES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <SelectField label="Assigned" value={assigned} onValue={(assigned) => changeWords({ assigned })}>
        <option value="">to anyone</option>
        <option value="me">to me</option>
        {state === "open" && <option value="no-one">to no one</option>}
      </SelectField>
      <TextField label="Rule" type="search" value={rule} onValue={(rule) => changeWords({ rule })} />
      <KeySearch label="Key" value={key} onSearch={(key) => changeWords({ key })} />
      {isNarrowed && (
        <Link className="button" href={state === "open" ? "/fraud" : `/fraud?state=${state}`}>
          Show all
        </Link>
      )}
    </div>
  );
}
