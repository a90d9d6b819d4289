/** The records of a file, decoded into parts. */

export interface RecordPart {
  name: string;
  type: string;
  tag: string | null;
  offset: number;
  length: number;
  content_offset: number;
  content_length: number;
  value: string | null;
  is_cut: boolean;
  fault: string | null;
  parts: RecordPart[];
}

export interface FileRecord {
  record: number;
  offset: number;
  length: number;
  octets: string;
  problem: string | null;
  damage: { offset: number; reason: string } | null;
  is_cut: boolean;
  parts: RecordPart[];
}

export interface FileRecords {
  node: string;
  file: string;
  lies: "collected" | "archive" | "output";
  job: number | null;
  octets: number;
  read: number;
  records: FileRecord[];
  next: { record: number; at: string | null } | null;
}
