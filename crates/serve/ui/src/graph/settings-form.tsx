/** The settings of a node. Leaving a field or pressing Enter makes one change, which can be undone. */
import { type KeyboardEvent, useEffect, useId, useState } from "react";

import type { Edit, GraphNode, Kind } from "../api/types";
import { TextField } from "../parts/field";
import { type FormLine, type Setting, formLines, meant, readAs, written } from "./settings";

interface FormProps {
  node: GraphNode;
  kind: Kind | undefined;
  isEdited: boolean;
  onEdit: (edit: Edit) => void;
}

export function SettingsForm({ node, kind, isEdited, onEdit }: FormProps) {
  const lines = formLines(node, kind);
  const set = (key: string, value: Setting) =>
    onEdit(value === undefined ? { do: "unset", name: node.name, key } : { do: "set", name: node.name, key, value });
  if (!isEdited) {
    const given = lines.filter((each) => each.value !== undefined);
    if (given.length === 0) return <p className="muted">Nothing is set.</p>;
    return (
      <dl className="facts">
        {given.map((each) => (
          <div key={each.key} className="fact">
            <dt>{each.key}</dt>
            <dd className="fixed">{written(each.value)}</dd>
          </div>
        ))}
      </dl>
    );
  }
  return (
    <div className="settings">
      {lines.map((each) => (
        <SettingField key={`${node.name} ${each.key}`} line={each} onValue={(value) => set(each.key, value)} />
      ))}
      <OneMore key={node.name} onValue={set} />
    </div>
  );
}

export function SettingField({ line, onValue }: { line: FormLine; onValue: (value: Setting) => void }) {
  const id = useId();
  const before = written(line.value);
  const [text, setText] = useState(before);
  const [problem, setProblem] = useState<string | null>(null);
  // After an undo or a change elsewhere, the field shows the current value.
  useEffect(() => {
    setText(before);
    setProblem(null);
  }, [before]);
  const give = (said: string) => {
    const read = readAs(line.sort, said);
    setProblem("problem" in read ? read.problem : null);
    if ("value" in read && said !== before) onValue(read.value);
  };
  const label = (
    <label htmlFor={id}>
      <span className="fixed">{line.key}</span>
      {line.isRequired && <span className="required"> (required)</span>}
    </label>
  );
  const help = problem ?? line.help;
  const common = { id, "aria-describedby": help === "" ? undefined : `${id}-help`, "aria-invalid": problem !== null };
  const keys = (event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => {
    if (event.key === "Enter" && !(event.currentTarget instanceof HTMLTextAreaElement)) give(text);
    if (event.key === "Escape") setText(before);
  };
  return (
    <div className="field">
      {label}
      {line.sort === "truth" ? (
        <select {...common} value={text} onChange={(event) => give(event.target.value)}>
          <option value="">not said</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : line.sort === "list" ? (
        <textarea
          {...common}
          rows={3}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={() => give(text)}
          onKeyDown={keys}
        />
      ) : (
        <input
          {...common}
          type="text"
          inputMode={line.sort === "number" ? "numeric" : "text"}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={() => give(text)}
          onKeyDown={keys}
        />
      )}
      {help !== "" && (
        <p id={`${id}-help`} className={problem === null ? "help" : "help help-wrong"}>
          {help}
          {line.sort === "list" && problem === null && "; one a line"}
        </p>
      )}
    </div>
  );
}

/** A setting that the kind does not list, or one within a table, whose key then has a dot. */
function OneMore({ onValue }: { onValue: (key: string, value: Setting) => void }) {
  const [key, setKey] = useState("");
  const [value, setValue] = useState("");
  const isGiven = key.trim() !== "" && value.trim() !== "";
  const give = () => {
    if (!isGiven) return;
    onValue(key.trim(), meant(value.trim()));
    setKey("");
    setValue("");
  };
  return (
    <fieldset className="one-more">
      <legend className="label">Another setting</legend>
      <TextField label="Key" value={key} onValue={setKey} placeholder="wait.arrival" />
      <TextField label="Value" value={value} onValue={setValue} />
      <button type="button" className="button" onClick={give} disabled={!isGiven}>
        Set
      </button>
    </fieldset>
  );
}
