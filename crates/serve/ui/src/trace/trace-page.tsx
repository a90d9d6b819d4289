/** The trace: where a record came from, and where it went. */
import { type FormEvent, useState } from "react";

import { SelectField, TextField } from "../parts/field";
import { Empty, Page } from "../parts/page";
import { Link, go, useAddress } from "../router/router";
import { Fitting } from "./fitting";
import { Traces } from "./traces";

type By = "file" | "output" | "suspense" | "where";

const BY: By[] = ["where", "suspense", "output"];

export function TracePage() {
  const { query } = useAddress();
  const by = BY.find((each) => query.has(each)) ?? "file";
  const name = query.get(by) ?? "";
  const record = query.get("record") ?? "1";
  const files = query.get("files") ?? "";
  return (
    <Page title="Trace" lead="Where a record came from, which nodes it passed, and what was made of it.">
      <Asked key={`${by} ${name} ${record} ${files}`} by={by} name={name} record={record} files={files} />
      {name === "" ? (
        <Empty icon="trace" title="Which record?">
          <p>
            Give the file it came in, or one that was made, and its number; or its number in suspense; or say what is in
            it. Each file on the page “Files” leads here too.
          </p>
        </Empty>
      ) : by === "where" ? (
        <Fitting where={name} files={files} after={query.get("after") ?? ""} />
      ) : (
        <Found by={by} name={name} record={record} />
      )}
    </Page>
  );
}

interface FoundProps {
  by: Exclude<By, "where">;
  name: string;
  record: string;
}

interface AskedProps {
  by: By;
  name: string;
  record: string;
  /** A pattern of file names, for a search by content. */
  files: string;
}

const NAMES: Record<By, string> = { file: "File", output: "File", suspense: "Number", where: "Expression" };

function Asked(before: AskedProps) {
  const [by, setBy] = useState<By>(before.by);
  const [name, setName] = useState(before.name);
  const [record, setRecord] = useState(before.record);
  const [files, setFiles] = useState(before.files);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const words = new URLSearchParams({ [by]: name.trim() });
    if (by === "file" || by === "output") words.set("record", record.trim() || "1");
    if (by === "where" && files.trim() !== "") words.set("files", files.trim());
    go(`/trace?${words.toString()}`);
  };
  return (
    <form className="filters" onSubmit={ask}>
      <SelectField label="By" value={by} onValue={(value) => setBy(value as By)}>
        <option value="file">a file that came</option>
        <option value="output">a file that was made</option>
        <option value="suspense">number in suspense</option>
        <option value="where">what is in it</option>
      </SelectField>
      <TextField
        label={NAMES[by]}
        value={name}
        onValue={setName}
        required
        inputMode={by === "suspense" ? "numeric" : "text"}
        {...(by === "where" ? { placeholder: "record.callDuration > 600" } : {})}
      />
      {by === "where" && <TextField label="Files" value={files} onValue={setFiles} placeholder="all, or boston-*" />}
      {(by === "file" || by === "output") && (
        <TextField label="Record" value={record} onValue={setRecord} inputMode="numeric" pattern="[0-9]*" />
      )}
      <button type="submit" className="button button-main">
        Trace
      </button>
    </form>
  );
}

function Found({ by, name, record }: FoundProps) {
  const number = Number(record);
  return (
    <>
      {by === "file" && number > 0 && (
        <p className="actions">
          <Link className="button" href={`/trace?file=${encodeURIComponent(name)}&record=${Math.max(1, number - 1)}`}>
            The record before
          </Link>
          <Link className="button" href={`/trace?file=${encodeURIComponent(name)}&record=${number + 1}`}>
            The next record
          </Link>
        </p>
      )}
      <Traces by={by === "suspense" ? { suspense: Number(name) } : { [by]: name, record: number }} />
    </>
  );
}
