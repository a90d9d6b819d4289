/**
 * A field that searches for a key once the user is done with it. A search by a key is in the audit trail, so there is
 * none for each letter.
 */
import { type FormEvent, useEffect, useState } from "react";

import { TextField } from "../parts/field";

interface KeySearchProps {
  label: string;
  value: string;
  placeholder?: string;
  onSearch: (key: string) => void;
}

export function KeySearch({ label, value, placeholder = "the whole key", onSearch }: KeySearchProps) {
  const [key, setKey] = useState(value);
  useEffect(() => setKey(value), [value]);
  const search = () => key.trim() !== value && onSearch(key.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search();
  };
  return (
    <form className="key-search" role="search" onSubmit={submit}>
      <TextField label={label} type="search" value={key} onValue={setKey} placeholder={placeholder} />
      <button type="submit" className="button">
        Find
      </button>
    </form>
  );
}
