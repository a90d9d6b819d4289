/** Imports a CSV file into a list of keys: what is different is shown first, then applied. */
import { useId, useState } from "react";

import { Refusal, sentence } from "../api/client";
import { gateway } from "../api/gateway";
import type { Diagnostic, ImportedFraudList } from "../api/types";
import { leftOutInWords } from "../graph/problems";
import { type Answer, AskDialog } from "../parts/ask-dialog";
import { SelectField, TextField } from "../parts/field";
import { Icon } from "../parts/icons";
import { say } from "../parts/notices";
import { count, counted } from "../parts/numbers";
import { Table } from "../parts/table";
import { visible } from "../parts/visible";
import type { NamedList } from "./add-entry-dialog";
import { DIFFERENCE_COLUMNS } from "./list-columns";
import { differencesInWords, hasDifferences, isListName, utf8Text } from "./list-words";

interface ImportProps {
  /** The list, or the nodes of each folder, in one of which a new list is made. */
  into: { list: NamedList } | { folders: readonly (readonly string[])[] };
  onClose: () => void;
  onDone: (list: NamedList) => void;
}

/** A file that was compared with the list. What is applied is the text that was compared. */
interface Compared {
  file: string;
  text: string;
  found: ImportedFraudList;
}

export function ImportListDialog({ into, onClose, onDone }: ImportProps) {
  const id = useId();
  const isNew = !("list" in into);
  const folders = isNew ? into.folders : [];
  const [name, setName] = useState(isNew ? "" : into.list.name);
  const [folder, setFolder] = useState("0");
  const [file, setFile] = useState<File | null>(null);
  const [compared, setCompared] = useState<Compared | null>(null);
  const [because, setBecause] = useState("");
  const node = isNew ? (folders[Number(folder)]?.[0] ?? "") : into.list.node;
  const begin = (deed: () => void) => {
    // The differences are those of another file or list.
    setCompared(null);
    deed();
  };
  const compare = async () => {
    if (file === null) return;
    const text = utf8Text(await file.arrayBuffer());
    if (text === null)
      throw new Refusal(0, `${visible(file.name)} is not in UTF-8.`, "Save it as “CSV UTF-8” in your spreadsheet.");
    const found = await gateway.importFraudList(name.trim(), { node, text, file: file.name, apply: false });
    setCompared({ file: file.name, text, found });
  };
  const apply = async () => {
    if (compared === null) return;
    const { file, text } = compared;
    const body = { node, text, file, apply: true, because: because.trim() };
    const found = await gateway.importFraudList(name.trim(), body);
    if (!found.applied) return setCompared({ ...compared, found });
    say(`${visible(name.trim())}: ${differencesInWords(found)}.`);
    onDone({ name: name.trim(), node });
  };
  const mistakes = compared?.found.diagnostics ?? [];
  const isCompared = compared !== null && mistakes.length === 0 && hasDifferences(compared.found);
  const look: Answer = {
    word: "Show the differences",
    busyWord: "Comparing…",
    isReady: file !== null && isListName(name.trim()),
    deed: compare,
  };
  const change: Answer = {
    word: "Apply",
    busyWord: "Applying…",
    isReady: because.trim() !== "",
    deed: apply,
  };
  return (
    <AskDialog
      title={isNew ? "New list" : `Import into ${visible(name)}`}
      width="wide"
      onClose={onClose}
      answers={[isCompared ? change : look]}
    >
      <p>
        The entries of the list become those of the file. Notes and lines that are not different stay as they are, and
        columns that the file does not have are not compared.
      </p>
      {isNew && (
        <TextField
          label="Name"
          value={name}
          onValue={(name) => begin(() => setName(name))}
          isRequired
          help='Letters, digits, “.”, “-” and “_”. Rules name the list: except = ["offices"].'
        />
      )}
      {folders.length > 1 && (
        <SelectField label="Nodes" value={folder} onValue={(folder) => begin(() => setFolder(folder))}>
          {folders.map((nodes, place) => (
            <option key={place} value={place}>
              {nodes.join(", ")}
            </option>
          ))}
        </SelectField>
      )}
      <div className="field">
        <label htmlFor={id}>
          File<span className="required"> (required)</span>
        </label>
        <input
          id={id}
          type="file"
          accept=".csv,text/csv,text/plain"
          required
          aria-describedby={`${id}-help`}
          onChange={(event) => begin(() => setFile(event.target.files?.[0] ?? null))}
        />
        <p id={`${id}-help`} className="help">
          CSV in UTF-8. Its columns are key, from, until, source, who and because; only key is needed.
        </p>
      </div>
      {compared !== null && <Differences of={compared.found} file={compared.file} />}
      {isCompared && (
        <TextField
          label="Reason"
          value={because}
          onValue={setBecause}
          isRequired
          help="It is in the audit trail, and stands at new entries if the file has no column for it."
        />
      )}
    </AskDialog>
  );
}

function Differences({ of, file }: { of: ImportedFraudList; file: string }) {
  const { diagnostics, diagnostics_left_out, differences, differences_left_out } = of;
  if (diagnostics.length > 0)
    return (
      <section className="section" aria-label="Mistakes">
        <p role="status">
          {counted(diagnostics.length + diagnostics_left_out, "mistake")} in {visible(file)}. The list stays as it is.
        </p>
        <ul className="problems">
          {diagnostics.map((each, place) => (
            <Mistake key={place} of={each} />
          ))}
        </ul>
        {diagnostics_left_out > 0 && <p className="muted">{leftOutInWords(diagnostics_left_out)}</p>}
      </section>
    );
  if (!hasDifferences(of)) return <p role="status">Nothing is different: the list has these entries already.</p>;
  return (
    <section className="section" aria-label="Differences">
      <p role="status">
        <strong>{differencesInWords(of)}.</strong>
      </p>
      <div className="differences-frame" tabIndex={0}>
        <Table label="Differences" columns={DIFFERENCE_COLUMNS} rows={differences} rowKey={({ key }) => key} />
      </div>
      {differences_left_out > 0 && <p className="muted">{count(differences_left_out)} more are not shown.</p>}
    </section>
  );
}

const Mistake = ({ of: { line, column, message, hint } }: { of: Diagnostic }) => (
  <li className="problem problem-error">
    <Icon name="error" size={16} />
    <div>
      <p>
        <span className="figures">
          Line {line}, column {column}
        </span>
        : {sentence(visible(message))}
      </p>
      {hint != null && <p className="muted">{sentence(visible(hint))}</p>}
    </div>
  </li>
);
