/** The octets of a record, sixteen per line. Those of the selected part are marked. */
import { type KeyboardEvent, memo, useRef, useState } from "react";

import type { FileRecord, RecordPart } from "../api/types";
import { count } from "../parts/numbers";
import { LINES_MAX } from "../suspense/octets";
import { roleOf } from "./parts";
import { useReveal } from "./reveal";

const A_LINE = 16;

interface OctetsProps {
  record: FileRecord;
  part: RecordPart | null;
  onChoose: (octet: number) => void;
}

export function OctetsView({ record, part, onChoose }: OctetsProps) {
  const [isWhole, setWhole] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const octets = record.octets.match(/../g) ?? [];
  const lines = Math.ceil(octets.length / A_LINE);
  const shown = isWhole ? lines : Math.min(lines, LINES_MAX);
  const first = part?.offset ?? 0;
  useReveal(box, ".octet-content, .octet-around", part);
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowRight: part?.length ?? 1,
      ArrowLeft: -1,
      ArrowDown: A_LINE,
      ArrowUp: -A_LINE,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onChoose(Math.min(Math.max(0, first + step), octets.length - 1));
  };
  return (
    <section className="section" aria-label="Octets">
      <h2>
        Octets <span className="muted">{count(record.length)}</span>
      </h2>
      <div
        ref={box}
        className="octets"
        role="group"
        aria-label="Octets of the record, in hexadecimal; arrow keys go from part to part"
        tabIndex={0}
        onKeyDown={move}
        onClick={(event) => {
          const octet = (event.target as HTMLElement).dataset.octet;
          if (octet !== undefined) onChoose(Number(octet));
        }}
      >
        <pre>
          {Array.from({ length: shown }, (_, line) => {
            const start = line * A_LINE;
            const some = octets.slice(start, start + A_LINE);
            const roles = some.map((_, place) => roleOf(start + place, part));
            const damage = record.damage != null ? record.damage.offset - start : -1;
            return (
              <Line
                key={line}
                file={record.offset}
                start={start}
                octets={some.join("")}
                roles={roles.join(",")}
                damage={damage >= 0 && damage < A_LINE ? damage : -1}
              />
            );
          })}
        </pre>
      </div>
      {octets.length < record.length && (
        <p className="muted">
          The record has {count(record.length)} octets; the first {count(octets.length)} are shown.
        </p>
      )}
      {lines > shown && (
        <button type="button" className="button" onClick={() => setWhole(true)}>
          Show all {count(lines)} lines
        </button>
      )}
    </section>
  );
}

interface LineProps {
  /** The offset of the record in the file. */
  file: number;
  start: number;
  octets: string;
  roles: string;
  damage: number;
}

/** Renders again only if the line looks different. */
const Line = memo(function Line({ file, start, octets, roles, damage }: LineProps) {
  const some = octets.match(/../g) ?? [];
  const role = roles.split(",");
  const classOf = (place: number) =>
    [role[place] === "" ? "" : `octet-${role[place]}`, place === damage ? "octet-damage" : ""].join(" ").trim() ||
    undefined;
  return (
    <span className="octet-line">
      <span className="muted">{(file + start).toString(16).padStart(8, "0")}</span>{" "}
      {some.map((octet, place) => (
        <span key={place} data-octet={start + place} className={classOf(place)}>
          {octet}{" "}
        </span>
      ))}
      {"   ".repeat(A_LINE - some.length)}
      <span className="muted">{some.map((octet) => letter(Number.parseInt(octet, 16))).join("")}</span>
      {"\n"}
    </span>
  );
});

const letter = (octet: number) => (octet >= 0x20 && octet < 0x7f ? String.fromCharCode(octet) : ".");
