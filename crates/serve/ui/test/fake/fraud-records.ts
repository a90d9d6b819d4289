/** The index of records by keys. */
import type { FraudRecord } from "../../src/api/types.ts";
import { record } from "./file-records.ts";
import type { At } from "./time.ts";

export interface IndexedRecord {
  key: string;
  of: FraudRecord;
}

/** More than two pages of one key, and one record of a key that nothing else has. The newest are first. */
export function fraudRecords(at: At): IndexedRecord[] {
  const one = (place: number, more: Partial<FraudRecord> = {}): FraudRecord => {
    const { parts, problem } = record(place + 1);
    return {
      at: at(4 + place * 3),
      subject: "caller",
      job: 5_000,
      network_element: "msc-boston",
      file: "boston-10432.ber",
      record: place + 1,
      parts,
      problem,
      ...more,
    };
  };
  const gone = {
    job: 17,
    network_element: null,
    file: null,
    parts: null,
    problem: "the journal does not have the file any more",
  };
  return [
    ...Array.from({ length: 120 }, (_, place) => ({
      key: "0099000001\u202e",
      of: one(place, place === 2 ? gone : {}),
    })),
    { key: "0000021799", of: one(3, { subject: "called" }) },
  ];
}
