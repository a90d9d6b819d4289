/** The records of a file with their octets and parts. Both are built together, so that they match. */
import type { QueryOf } from "../../src/api/ask.ts";
import type { FileRecord, FileRecords, RecordPart } from "../../src/api/types.ts";
import { type Answer, type Params, no, ok } from "./answering.ts";
import type { World } from "./world.ts";

/** Each seventh record is damaged. */
const DAMAGED = 7;

const PAGE = 20;

interface Cut {
  octets: string;
  parts: RecordPart[];
}

/** Builds a value, or an element with parts, with its tag and length before it. */
function element(name: string, type: string, tag: number, inner: string | Cut, value: string | null = null): Cut {
  const content = typeof inner === "string" ? inner : inner.octets;
  const length = content.length / 2;
  const header = `${(typeof inner === "string" ? 0x80 + tag : 0xa0 + tag).toString(16)}${length.toString(16).padStart(2, "0")}`;
  return {
    octets: header + content,
    parts: [
      {
        name,
        type,
        tag: `[${tag}]`,
        offset: 0,
        length: length + 2,
        content_offset: 2,
        content_length: length,
        value,
        is_cut: false,
        fault: null,
        parts: typeof inner === "string" ? [] : moved(inner.parts, 2),
      },
    ],
  };
}

const moved = (parts: RecordPart[], by: number): RecordPart[] =>
  parts.map((part) => ({
    ...part,
    offset: part.offset + by,
    content_offset: part.content_offset + by,
    parts: moved(part.parts, by),
  }));

function beside(all: Cut[]): Cut {
  return all.reduce((before, next) => ({
    octets: before.octets + next.octets,
    parts: [...before.parts, ...moved(next.parts, before.octets.length / 2)],
  }));
}

const hex = (text: string) => [...text].map((letter) => letter.charCodeAt(0).toString(16).padStart(2, "0")).join("");

export function record(number: number): FileRecord {
  const seconds = (number * 17) % 250;
  const cell = String(4700 + number);
  const call = element(
    "moCallRecord",
    "MSC.MOCallRecord",
    0,
    beside([
      element("servedIMSI", "MSC.IMSI", 0, "42001032547698f1", "24001023456789 1".replace(" ", "")),
      element("callDuration", "MSC.CallDuration", 1, seconds.toString(16).padStart(2, "0"), String(seconds)),
      element("location", "MSC.Location", 2, element("cell", "UTF8String", 0, hex(cell), cell)),
    ]),
  );
  const whole: RecordPart = {
    ...call.parts[0]!,
    name: "MSC.CallDataRecord",
    type: "MSC.CallDataRecord",
    tag: null,
    content_offset: 0,
    content_length: call.octets.length / 2,
    parts: call.parts,
  };
  const offset = (number - 1) * (call.octets.length / 2);
  const { length } = whole;
  if (number % DAMAGED !== 0)
    return {
      record: number,
      offset,
      length,
      octets: call.octets,
      problem: null,
      damage: null,
      is_cut: false,
      parts: [whole],
    };
  // The length of the location points beyond the record.
  const at = call.parts[0]!.parts[2]!.offset;
  const cut = (part: RecordPart): RecordPart => ({
    ...part,
    parts: part.parts.filter((each) => each.offset + each.length <= at || each.offset < at).map(cut),
  });
  return {
    record: number,
    offset,
    length,
    octets: `${call.octets.slice(0, 2 * at + 2)}7f${call.octets.slice(2 * at + 4)}`,
    problem: `an element is longer than what it lies in (at octet ${at} of the record)`,
    damage: { offset: at, reason: "an element is longer than what it lies in" },
    is_cut: false,
    parts: [cut(whole)],
  };
}

function has(parts: RecordPart[], field: string, value: string): boolean {
  return parts.some(
    (part) =>
      ((field === "" || part.name.toLowerCase() === field.toLowerCase()) && (part.value ?? "").includes(value)) ||
      has(part.parts, field, value),
  );
}

type Query = Params<keyof QueryOf<"GET /api/records">>;

interface Of {
  node: string;
  file: string;
  lies: FileRecords["lies"];
  job: number | null;
  octets: number;
  records: number;
}

function fileOf(world: World, query: Query): Of | null {
  const came = world.files.find((each) =>
    query.has("job")
      ? String(each.job) === query.get("job")
      : each.file === query.get("file") && each.network_element === query.get("network_element"),
  );
  const system = query.get("post_processing_system");
  const delivery = world.deliveries.find((each) => String(each.id) === query.get("delivery"));
  if (delivery !== undefined)
    return {
      node: delivery.post_processing_system,
      file: delivery.file,
      lies: "output",
      job: 1,
      octets: 700,
      records: delivery.records,
    };
  const [element, file] = [query.get("network_element"), query.get("file")];
  // A file that waits.
  if (came === undefined && element !== null && file !== null && !file.includes("/"))
    return { node: element, file, lies: "collected", job: null, octets: 42_000, records: 1_000 };
  if (came === undefined) return null;
  return system === null
    ? { node: came.network_element, ...came, lies: "archive" }
    : { node: system, file: `${system}-${came.file}`, lies: "output", job: came.job, octets: 700, records: 30 };
}

export function fileRecords(world: World, query: Query): Answer<FileRecords> {
  const of = fileOf(world, query);
  if (of === null) return no(404, `no file "${query.get("file") ?? ""}" came, and none waits to be collected`);
  const [field, value] = [query.get("field") ?? "", query.get("value") ?? ""];
  const first = Number(query.get("record") ?? 1);
  const records: FileRecord[] = [];
  let number = first;
  // A search ends after a hundred records, and says where to continue.
  for (; number <= of.records && records.length < PAGE && number < first + 100; number += 1) {
    const found = record(number);
    if ((field === "" && value === "") || has(found.parts, field, value)) records.push(found);
  }
  return ok({
    node: of.node,
    file: of.file,
    lies: of.lies,
    job: of.job,
    octets: of.octets,
    read: number - first,
    records,
    next: number > of.records ? null : { record: number, at: `${number}-${number * 40}` },
  });
}
