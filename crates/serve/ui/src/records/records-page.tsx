/** The records of a file: each value, and its octets. */
import "../styles/suspense.css";
import "../styles/records.css";

import { type FormEvent, useState } from "react";

import type { QueryOf } from "../api/ask";
import { gateway } from "../api/gateway";
import type { FileRecord, FileRecords } from "../api/types";
import { TextField } from "../parts/field";
import { useLoad } from "../parts/load";
import { Masked } from "../parts/masked";
import { NodeFilter } from "../parts/node-filter";
import { count, counted, octets } from "../parts/numbers";
import { Await, Empty, Page } from "../parts/page";
import { visible } from "../parts/visible";
import { Link, go, useAddress } from "../router/router";
import { Traces } from "../trace/traces";
import { asked, elsewhere, recordsAddress } from "./address";
import { OctetsView } from "./octets-view";
import { type Path, partAt, pathTo, wayTo } from "./parts";
import { Tree } from "./tree";

const LIES = { collected: "where it is collected", archive: "in the archive", output: "as it was made" };

export function RecordsPage() {
  const { query } = useAddress();
  const wanted = asked(query);
  return (
    <Page
      title="Records"
      lead="What is in a file: each record taken apart, with the octets of every value beside it; where it came from, and where it went."
    >
      {wanted === null ? (
        <>
          <Chooser />
          <Empty icon="records" title="Which file?">
            <p>
              Name a network element and one of its files: the last of that name that came, or one that waits. The pages{" "}
              <Link href="/files">Files</Link>, <Link href="/deliveries">Deliveries</Link> and{" "}
              <Link href="/trace">Trace</Link> lead here too.
            </p>
          </Empty>
        </>
      ) : (
        <File key={query.toString()} wanted={wanted} query={query} />
      )}
    </Page>
  );
}

function Chooser({ element: before = "", file: named = "" }: Partial<Record<"element" | "file", string | undefined>>) {
  const [element, setElement] = useState(before);
  const [file, setFile] = useState(named);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    go(recordsAddress({ network_element: element, file: file.trim() }));
  };
  return (
    <form className="filters" onSubmit={ask}>
      <NodeFilter label="Network element" kinds={["network-element"]} value={element} onValue={setElement} />
      <TextField label="File" value={file} onValue={setFile} required />
      <button type="submit" className="button button-main" disabled={element === "" || file.trim() === ""}>
        Look into it
      </button>
    </form>
  );
}

function File({ wanted, query }: { wanted: QueryOf<"GET /api/records">; query: URLSearchParams }) {
  const loaded = useLoad(() => gateway.records(wanted), [query.toString()]);
  return (
    <>
      {loaded.problem !== null && <Chooser element={wanted.network_element ?? ""} file={wanted.file ?? ""} />}
      <Await loaded={loaded}>{(found) => <Found found={found} query={query} />}</Await>
    </>
  );
}

function Found({ found, query }: { found: FileRecords; query: URLSearchParams }) {
  const [place, setPlace] = useState(0);
  const record = found.records[place];
  const isSearch = query.has("field") || query.has("value");
  const search = { field: query.get("field") ?? "", value: query.get("value") ?? "" };
  const { next } = found;
  const onward = next != null && elsewhere(query, { ...search, record: String(next.record), at: next.at ?? "" });
  const isFirst = !query.has("record") || query.get("record") === "1";
  return (
    <>
      <dl className="facts">
        <dt>File</dt>
        <dd>
          <span className="fixed">{visible(found.file)}</span>, {octets(found.octets)}, {LIES[found.lies]}
          {found.job != null && `, job ${found.job}`}
        </dd>
        <dt>{found.lies === "output" ? "For" : "From"}</dt>
        <dd>{found.node}</dd>
      </dl>
      <Search key={query.toString()} query={query} />
      {found.records.length === 0 && (
        <Empty icon="records" title={isSearch ? "No such record" : "No record here"}>
          <p>
            {next == null
              ? `${counted(found.read, "record")} were read, up to the end of the file.`
              : `${counted(found.read, "record")} were read; the file goes on.`}
          </p>
        </Empty>
      )}
      <p className="actions">
        {!isFirst && (
          <Link className="button" href={elsewhere(query, search)}>
            From the first
          </Link>
        )}
        {onward !== false && (
          <Link className="button" href={onward}>
            {isSearch ? "Go on searching" : "The next records"}
          </Link>
        )}
      </p>
      {record !== undefined && (
        <div className="records">
          <nav aria-label="Records">
            <ol className="record-list">
              {found.records.map((each, at) => (
                <li key={each.record}>
                  <button
                    type="button"
                    className="record-choice"
                    aria-current={at === place ? "true" : undefined}
                    onClick={() => setPlace(at)}
                  >
                    <span>
                      Record {count(each.record)}
                      {each.problem != null && <span className="mark mark-critical">no record</span>}
                    </span>
                    <span className="muted">octet {count(each.offset)}</span>
                  </button>
                </li>
              ))}
            </ol>
          </nav>
          <One key={`${record.record} ${record.offset}`} record={record} file={found} />
        </div>
      )}
    </>
  );
}

function Search({ query }: { query: URLSearchParams }) {
  const [field, setField] = useState(query.get("field") ?? "");
  const [value, setValue] = useState(query.get("value") ?? "");
  const [record, setRecord] = useState("");
  const search = (event: FormEvent) => {
    event.preventDefault();
    go(elsewhere(query, { field: field.trim(), value: value.trim(), record: record.trim() }));
  };
  return (
    <form className="filters" onSubmit={search} role="search" aria-label="Search in the file">
      <TextField label="Field" value={field} onValue={setField} />
      <TextField label="Value has in it" value={value} onValue={setValue} />
      <TextField label="From record" value={record} onValue={setRecord} inputMode="numeric" pattern="[0-9]*" />
      <button type="submit" className="button">
        Search
      </button>
    </form>
  );
}

function One({ record, file }: { record: FileRecord; file: FileRecords }) {
  const [chosen, setChosen] = useState<Path>([0]);
  const part = partAt(record.parts, chosen);
  const choose = (octet: number) => {
    const found = pathTo(record.parts, octet);
    if (found.length > 0) setChosen(found);
  };
  return (
    <section className="section" aria-label={`Record ${record.record}`}>
      <h2>
        Record {count(record.record)}{" "}
        <span className="muted">
          {counted(record.length, "octet")}, from octet {count(record.offset)} of the file
        </span>
      </h2>
      {record.problem != null && (
        <p className="remark">
          These octets are no record: {record.problem}.
          {record.damage != null && ` What follows is shown up to octet ${count(record.damage.offset)} of them.`}
        </p>
      )}
      <div className="beside">
        <section className="section" aria-label="Parts">
          <h2>Parts</h2>
          {record.parts.length === 0 ? (
            <p className="muted">Nothing of these octets can be read.</p>
          ) : (
            <Tree record={record} chosen={chosen} onChoose={setChosen} />
          )}
          {record.is_cut && <p className="muted">The record has more parts than are shown.</p>}
        </section>
        <div className="section">
          {file.masked === true ? (
            <Masked what="Octets are" />
          ) : (
            <OctetsView record={record} part={part} onChoose={choose} />
          )}
          <p role="status" aria-label="What is chosen" className="chosen-part">
            {part === null ? (
              "Nothing is chosen."
            ) : (
              <>
                <strong>{wayTo(record.parts, chosen)}</strong>: octets {count(part.offset)} to{" "}
                {count(Math.max(part.offset, part.offset + part.length - 1))}, its value{" "}
                {counted(part.content_length, "octet")}
                {part.content_length > 0 && ` from ${count(part.content_offset)}`}
              </>
            )}
          </p>
        </div>
      </div>
      <RecordTrace record={record} file={file} />
    </section>
  );
}

/** Loads the trace only when it is opened, because it reads more files. */
function RecordTrace({ record, file }: { record: FileRecord; file: FileRecords }) {
  const [isOpen, setOpen] = useState(false);
  const isOutput = file.lies === "output";
  if (file.job == null) return <p className="muted">The file was not processed yet.</p>;
  return (
    <details onToggle={(event) => setOpen((event.target as HTMLDetailsElement).open)}>
      <summary>Where it came from, and where it went</summary>
      {isOpen && (
        <Traces
          by={
            isOutput
              ? { output: file.file, record: record.record }
              : { file: file.file, record: record.record, network_element: file.node }
          }
          isMeant={(traced) =>
            isOutput
              ? traced.outputs.some(
                  (made) => made.post_processing_system === file.node && made.offset === record.offset,
                )
              : traced.job === file.job
          }
        />
      )}
    </details>
  );
}
