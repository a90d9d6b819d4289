/** The traces of records. */
import type { QueryOf } from "../api/ask";
import { gateway } from "../api/gateway";
import type { Traced } from "../api/types";
import { Icon } from "../parts/icons";
import { useLoad } from "../parts/load";
import { count, octets } from "../parts/numbers";
import { Await, Empty } from "../parts/page";
import { Moment } from "../parts/time";
import { visible } from "../parts/visible";
import { recordsAddress } from "../records/address";
import { Link } from "../router/router";
import { stepInWords } from "./step";

/** A record by its place in a file. */
type PlaceOf = QueryOf<"GET /api/trace">;

interface TracesProps {
  by: PlaceOf | { suspense: number };
  /** Selects one of several files with the same name. */
  isMeant?: (traced: Traced) => boolean;
}

/** The traces of a record. */
export function Traces({ by, isMeant = () => true }: TracesProps) {
  const loaded = useLoad(
    async () => gateway.trace("suspense" in by ? await placeOf(by.suspense) : by),
    [JSON.stringify(by)],
  );
  return (
    <Await loaded={loaded}>
      {({ traced }) => (
        <>
          {traced.length === 0 && <Empty icon="trace" title="Nothing is known of it" />}
          {traced.filter(isMeant).map((each, place) => (
            <Trace key={place} traced={each} />
          ))}
        </>
      )}
    </Await>
  );
}

/** Returns the place of a record by its number in suspense. */
async function placeOf(id: number): Promise<PlaceOf> {
  const { detail } = await gateway.suspended(id);
  const { file, record, network_element } = detail.record;
  return { file, record, network_element };
}

/** Describes how far a file has come on its way to its receiver, and its name there. */
function carriedInWords({ state, name }: NonNullable<Traced["outputs"][number]["carried"]>): string {
  return state.replace("-", " ") + (name == null ? "" : ` as ${name}`);
}

/** One trace of a record, and what happened to the record later. */
export function Trace({ traced }: { traced: Traced }) {
  return (
    <section className="card trace" aria-label={`The trace of record ${traced.record ?? ""} of ${traced.file}`}>
      <h2>
        <span className="fixed">{visible(traced.file)}</span>
        {traced.record != null && `, record ${count(traced.record)}`}
      </h2>
      <p className="muted">
        From {traced.network_element}
        {traced.offset != null && `, octet ${count(traced.offset)}`}; done <Moment at={traced.done} />, job {traced.job}
        {traced.retried && ", put through again"}
      </p>
      {traced.record != null && (
        <p>
          <Link href={recordsAddress({ network_element: traced.network_element, file: traced.file }, traced.record)}>
            Look at its octets
          </Link>
        </p>
      )}
      {traced.duplicate_of != null && (
        <p className="remark">The file came before, as {traced.duplicate_of}: so the record went nowhere.</p>
      )}
      <ol className="steps">
        {traced.way.map((step, place) => (
          <li key={place}>
            <Icon name="next" size={14} />
            {stepInWords(step)}
          </li>
        ))}
      </ol>
      {traced.outputs.map((output) => (
        <p key={`${output.file} ${output.record}`}>
          <Icon name="post-processing-system" size={16} /> {output.post_processing_system}:{" "}
          <Link
            className="fixed break"
            href={recordsAddress(
              { job: traced.job, post_processing_system: output.post_processing_system },
              output.record,
            )}
          >
            {visible(output.file)}
          </Link>
          {output.carried != null && ` (${carriedInWords(output.carried)})`}, record {count(output.record)}, octet{" "}
          {count(output.offset)}, {octets(output.octets)}
        </p>
      ))}
      {traced.suspense.map((record) => (
        <p key={record.id}>
          <Icon name="suspense" size={16} /> <Link href={`/suspense/${record.id}`}>Record {record.id} in suspense</Link>
          , {record.state}: {visible(record.reason)}
        </p>
      ))}
      {traced.group.length > 0 && (
        <details>
          <summary>With {count(traced.group.length)} records in a group</summary>
          <ul className="plain">
            {traced.group.map((part) => (
              <li key={`${part.file} ${part.record}`}>
                {part.node}, {part.key}: <span className="fixed">{part.file ?? "a file that is forgotten"}</span>,
                record {count(part.record)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {traced.later.map((each, place) => (
        <Trace key={place} traced={each} />
      ))}
    </section>
  );
}
