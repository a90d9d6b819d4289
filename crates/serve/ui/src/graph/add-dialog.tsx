/** Adds a node: its kind, its name, its sources and its required settings. */
import { useState } from "react";

import type { Edit, Graph, Kind } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { SelectField, TextField } from "../parts/field";
import { kindName, takesRecords } from "./shown";
import { type Setting, readAs } from "./settings";
import { words } from "./sources-form";

interface AddProps {
  graph: Graph;
  kinds: Kind[];
  kind: string;
  from: string | null;
  onAdd: (edit: Edit) => Promise<void>;
  onClose: () => void;
}

export function AddDialog({ graph, kinds, kind: first, from: dropped, onAdd, onClose }: AddProps) {
  const [kind, setKind] = useState(first);
  const [name, setName] = useState("");
  const all = words(graph, null);
  const [from, setFrom] = useState<string[]>(
    all.filter((word) => word === dropped || word === `${dropped}.true`).slice(0, 1),
  );
  const [values, setValues] = useState<{ [key: string]: string }>({});
  const needed =
    kinds.find((each) => each.kind === kind)?.settings.filter((each) => each.required && each.key !== "from") ?? [];
  const add = async () => {
    const settings: { [key: string]: Setting } = {};
    for (const { key, sort } of needed) {
      const read = readAs(sort, values[key] ?? "");
      if ("value" in read && read.value !== undefined) settings[key] = read.value;
    }
    await onAdd({ do: "add", kind, name: name.trim(), settings, from: takesRecords(kind) ? from : [] });
  };
  return (
    <AskDialog title="Add a node" onClose={onClose} answers={[{ word: "Add", isReady: name.trim() !== "", deed: add }]}>
      <SelectField label="Kind" value={kind} onValue={setKind}>
        {kinds.map((each) => (
          <option key={each.kind} value={each.kind}>
            {kindName(each.kind)}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Name"
        value={name}
        onValue={setName}
        isRequired
        data-first
        help="As it stands in the flow file."
      />
      {takesRecords(kind) && all.length > 0 && (
        <fieldset className="ticks">
          <legend className="label">Takes records from</legend>
          {all.map((word) => (
            <label key={word} className="tick fixed">
              <input
                type="checkbox"
                checked={from.includes(word)}
                onChange={() => setFrom(from.includes(word) ? from.filter((each) => each !== word) : [...from, word])}
              />
              {word}
            </label>
          ))}
        </fieldset>
      )}
      {needed.map(({ key, help }) => (
        <TextField
          key={key}
          label={key}
          help={help}
          value={values[key] ?? ""}
          onValue={(value) => setValues({ ...values, [key]: value })}
        />
      ))}
      <p className="muted">What is left empty can be set later; until then the check says what is missing.</p>
    </AskDialog>
  );
}
