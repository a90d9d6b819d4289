/** What was erased of a subject, and what is left for people to do. */
import type { ForgottenFraudSubject } from "../api/types";
import { count } from "../parts/numbers";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { subjectAddress } from "./address";
import { erasedInWords } from "./subject-words";

export function Forgotten({ of }: { of: ForgottenFraudSubject }) {
  const { marker, lists, other_keys, mentions } = of;
  return (
    <section className="section" aria-label="Erased">
      <dl className="facts">
        <dt>Erased</dt>
        <dd>{erasedInWords(of)}</dd>
        <dt>Called from now on</dt>
        <dd>
          <Link className="fixed" href={subjectAddress(marker)}>
            {marker}
          </Link>
        </dd>
        {lists.length > 0 && (
          <>
            <dt>Look at these lists</dt>
            <dd>{visible(lists.join(", "))}: they have the key, or cannot be read</dd>
          </>
        )}
        {other_keys.length > 0 && (
          <>
            <dt>Other keys with it</dt>
            <dd>
              {other_keys.map((key, place) => (
                <span key={key}>
                  {place > 0 && ", "}
                  <Link className="fixed break" href={subjectAddress(key)}>
                    {visible(key)}
                  </Link>
                </span>
              ))}
            </dd>
          </>
        )}
        {mentions > 0 && (
          <>
            <dt>Still named</dt>
            <dd>in what users wrote: {mentions === 1 ? "1 entry" : `${count(mentions)} entries`} of the audit trail</dd>
          </>
        )}
      </dl>
    </section>
  );
}
