/** The initial rows of the fake gateway. */
import type { Alarm, Delivery, DoneFile, RecordType, RefusedFile, TrailEntry } from "../../src/api/types.ts";
import { SCRIPTS } from "./example.ts";
import type { At } from "./time.ts";
import type { World } from "./world.ts";

export function versions(at: At, text: string): World["versions"] {
  const older = text.replace("home-v5", "home-v4").replace('"home-v5"', '"home-v4"').replace("home_v5", "home_v4");
  const files = Object.entries(SCRIPTS).map(([name, script]) => ({ name, text: script }));
  // The text of a script before a change.
  const before = files.map((file) =>
    file.name === "scripts/is_roaming.dup" ? { ...file, text: file.text.replace("== 2", "== 3") } : file,
  );
  return [
    {
      version: 1,
      at: at(60 * 24 * 30),
      who: "anna",
      remark: "Begun",
      active: false,
      proposal: null,
      activated: [{ at: at(60 * 24 * 30), who: "anna", because: "Begun" }],
      text: older,
      files: before,
    },
    {
      version: 2,
      at: at(60 * 24 * 3),
      who: "otto",
      remark: "Home billing takes version 5",
      active: true,
      proposal: null,
      activated: [{ at: at(60 * 24 * 3 - 4), who: "otto", because: "Home billing takes version 5" }],
      text,
      files,
    },
    {
      version: 3,
      at: at(95),
      who: "otto",
      remark: "Try: statistics as JSON",
      active: false,
      proposal: null,
      activated: [],
      text: text.replace('codec = "csv"', 'codec = "json"').replace("{stem}.csv", "{stem}.json"),
      files,
    },
  ];
}

export function alarms(at: At): Alarm[] {
  const alarm = (
    id: number,
    kind: string,
    severity: Alarm["severity"],
    subject: string,
    text: string,
    raised: string,
  ): Alarm => ({
    id,
    kind,
    subject,
    text,
    raised,
    cleared: null,
    severity,
    event_type: "processingErrorAlarm",
    probable_cause: "softwareError",
    acknowledged: null,
  });
  return [
    alarm(41, "sequence-gap", "major", "msc-boston", "3 files are missing: 10417 to 10419", at(52)),
    alarm(
      43,
      "files-waiting",
      "major",
      "msc-boston",
      "a file waits for 12 minutes: boston-10433.ber is still written to",
      at(12),
    ),
    {
      ...alarm(
        38,
        "rejects",
        "minor",
        "msc-new-york",
        "27 of 1,000 records of ny-08812.ber were set aside; 2 are usual",
        at(184),
      ),
      acknowledged: { who: "otto", at: at(170), remark: "The exchange is told; they send anew tomorrow." },
    },
    { ...alarm(35, "silent", "cleared", "msc-boston", "nothing came for an hour", at(700)), cleared: at(640) },
  ];
}

/** Network element, node, code, reason with an octet in braces, and how many records. */
const REASONS: [string, string, string, string, number][] = [
  [
    "msc-boston",
    "roaming-v8",
    "script-assertion",
    "scripts/roaming_v8.dup:5: the assertion is not fulfilled: present(in.details.roaming)",
    19,
  ],
  ["msc-new-york", "home-v5", "script-absent", 'scripts/home_v5.dup:6: "servedIMSI" is not there', 6],
  ["msc-boston", "", "ber-longer-than-parent", "the length at octet {offset} goes beyond the record", 3],
];

export function suspense(at: At): World["suspense"] {
  let id = 900;
  return REASONS.flatMap(([network_element, node, code, template, many]) =>
    Array.from({ length: many }, (_, place) => {
      id += 1;
      const offset = place === 0 ? "96" : "14";
      return {
        id,
        why: "suspended",
        since: at(5 + place * 3),
        network_element,
        file: network_element === "msc-boston" ? `boston-${10_420 + place}.ber` : `ny-${8_800 + place}.ber`,
        record: 31 + place * 17,
        offset: 4_096 + place * 211,
        node,
        reason: template.replace("{offset}", offset),
        code,
        values: template.includes("{offset}") ? [{ name: "offset", value: offset }] : [],
        state: "open",
        asked: false,
        edited: false,
        retries: place === 0 ? 1 : 0,
        json: node === "" ? null : json(place),
      };
    }),
  );
}

/** The types of a call, as the gateway describes them. */
export const CALL_TYPES: RecordType[] = [
  {
    name: "MSC.MOCallRecord",
    kind: "structure",
    fields: [
      { name: "recordType", type: 1, optional: false },
      { name: "servedIMSI", type: 2, optional: true },
      { name: "callingNumber", type: 3, optional: true },
      { name: "calledNumber", type: 3, optional: true },
      { name: "answerTime", type: 4, optional: true },
      { name: "chargedParty", type: 5, optional: true },
      { name: "callDuration", type: 1, optional: false },
      { name: "causeForTermination", type: 6, optional: false },
      { name: "callReference", type: 1, optional: false },
      { name: "isTransferred", type: 7, optional: true },
      { name: "services", type: 8, optional: true },
      { name: "details", type: 10, optional: true },
    ],
  },
  { name: "INTEGER", kind: "integer" },
  { name: "MSC.IMSI", kind: "packed-digits" },
  { name: "IA5String", kind: "text" },
  { name: "GeneralizedTime", kind: "text" },
  { name: "MSC.ChargedParty", kind: "enumerated", words: ["calling", "called"] },
  {
    name: "MSC.CauseForTermination",
    kind: "enumerated",
    words: ["normalRelease", "partialRecord", "unsuccessfulCallAttempt"],
  },
  { name: "BOOLEAN", kind: "boolean" },
  { name: "SEQUENCE OF MSC.Service", kind: "list", of: 9 },
  {
    name: "MSC.Service",
    kind: "structure",
    fields: [
      { name: "code", type: 1, optional: false },
      { name: "name", type: 3, optional: true },
    ],
  },
  {
    name: "MSC.Details",
    kind: "structure",
    fields: [
      { name: "roaming", type: 11, optional: true },
      { name: "partner", type: 12, optional: true },
    ],
  },
  { name: "NULL", kind: "null" },
  {
    name: "MSC.Partner",
    kind: "choice",
    fields: [
      { name: "network", type: 2, optional: false },
      { name: "name", type: 3, optional: false },
    ],
  },
];

/** The call reference is a number that JavaScript cannot represent. */
const json = (place: number) =>
  `{"recordType":2,"servedIMSI":"4200710000${10 + place}f2","callingNumber":"4670123456${place}","calledNumber":"4670765432${place}",` +
  `"answerTime":"2026-11-21T13:0${place % 10}:11Z","callDuration":61,"causeForTermination":"normalRelease","callReference":9007199254740993123,` +
  `"isTransferred":false,"services":[{"code":17,"name":"telephony"}],"details":{"roaming":null}}`;

export function files(at: At, many = 130): DoneFile[] {
  return Array.from({ length: many }, (_, place): DoneFile => {
    const isBoston = place % 2 === 0;
    const suspended = place % 9 === 0 ? 3 : 0;
    return {
      job: 5_000 - place,
      network_element: isBoston ? "msc-boston" : "msc-new-york",
      file: isBoston ? `boston-${10_432 - place}.ber` : `ny-${8_830 - place}.ber`,
      done: at(place * 2 + 1),
      records: 1_000,
      delivered: 1_000 - 112 - suspended,
      filtered: 112,
      held: 0,
      suspended,
      duplicate: 0,
      octets: 214_000 + place * 131,
      duplicate_of: null,
      reason: null,
      code: "",
      values: [],
      may_come_again: false,
    };
  });
}

export function refusedFiles(at: At): RefusedFile[] {
  return [
    {
      id: 1,
      kind: "set-aside",
      network_element: "msc-boston",
      file: "boston-10431.ber.gz.poison",
      path: "in/boston/boston-10431.ber.gz.poison",
      since: at(30),
      is_there: true,
      reason: "it cannot be unpacked: corrupt deflate stream",
      code: "unpack-damaged",
      values: [{ name: "cause", value: "corrupt deflate stream" }],
    },
  ];
}

export function deliveries(at: At): Delivery[] {
  const delivery = (
    id: number,
    system: string,
    file: string,
    state: Delivery["state"],
    minutes: number,
    failures = 0,
    problem: string | null = null,
    code = "",
    values: Delivery["values"] = [],
  ): Delivery => ({
    id,
    post_processing_system: system,
    file,
    records: 870,
    state,
    since: at(minutes),
    failures,
    problem,
    code,
    values,
    lies: state === "delivered" ? null : `flow.state/out/${system}/${file}`,
  });
  return [
    delivery(311, "roaming-billing", "msc-boston-boston-10432.ber", "waiting", 2),
    delivery(
      310,
      "roaming-billing",
      "msc-boston-boston-10430.ber",
      "waiting",
      6,
      4,
      "could not connect to roaming.example:22: Connection refused",
      "remote-unreachable",
      [
        { name: "place", value: "roaming.example:22" },
        { name: "cause", value: "Connection refused" },
      ],
    ),
    delivery(
      288,
      "home-billing",
      "msc-new-york-ny-8801.ber",
      "given-up",
      190,
      12,
      'a file "msc-new-york-ny-8801.ber" with other contents exists',
      "remote-exists",
      [{ name: "file", value: "msc-new-york-ny-8801.ber" }],
    ),
    ...Array.from({ length: 12 }, (_, place) =>
      delivery(287 - place, "home-billing", `msc-new-york-ny-${8_800 - place}.ber`, "delivered", 200 + place * 4),
    ),
  ];
}

export function trail(at: At): TrailEntry[] {
  const entry = (
    id: number,
    minutes: number,
    who: string,
    action: string,
    subject: string,
    reason = "",
    before: string | null = null,
    after: string | null = null,
  ): TrailEntry => ({
    id,
    at: at(minutes),
    who,
    action,
    subject,
    reason,
    before,
    after,
  });
  return [
    entry(77, 95, "otto", "versions save", "version 3", "Try: statistics as JSON"),
    entry(76, 170, "otto", "alarms acknowledge", "38", "The exchange is told; they send anew tomorrow."),
    entry(
      75,
      1_500,
      "anna",
      "suspense edit",
      "record 871",
      "the exchange sent it anew",
      '{"callDuration":0}',
      '{"callDuration":61}',
    ),
    entry(74, 4_316, "otto", "versions activate", "version 2", "Home billing takes version 5"),
  ];
}
