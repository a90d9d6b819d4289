/** The period of a list or a report: the last hours or days, or times of its own, all in UTC. It is in the address. */
import { useMemo, useState } from "react";

import { changeWords, useAddress } from "../router/router";
import { SelectField, TextField } from "./field";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The bounds for a request. An empty one is open. */
export interface Bounds {
  from: string;
  to: string;
}

export interface Period {
  /** Identifies the period. The bounds of the last hour are others a minute later. */
  key: string;
  isChosen: boolean;
  /** Whether rows that come from now on are outside of it. */
  isPast: (now: number) => boolean;
  bounds: (now: number) => Bounds;
}

/** The parameters of the address that a period has. */
export const PERIOD_WORDS = ["hours", "days", "from", "to"] as const;

type Words = Record<(typeof PERIOD_WORDS)[number], string>;

/** The periods to choose from: a parameter of the address, its value, and words for it. */
const CHOICES: readonly ["hours" | "days", string, string][] = [
  ["hours", "1", "the last hour"],
  ["days", "1", "today"],
  ["days", "7", "7 days"],
  ["days", "31", "31 days"],
];

const NONE: Words = { hours: "", days: "", from: "", to: "" };

const wordsOf = (query: URLSearchParams) =>
  Object.fromEntries(PERIOD_WORDS.map((word) => [word, query.get(word) ?? ""])) as Words;

const choiceOf = (words: Words) => CHOICES.find(([word, value]) => words[word] === value);

/** Returns the period of an address. */
export function periodOf(query: URLSearchParams): Period {
  const words = wordsOf(query);
  const own = { from: moment(words.from), to: moment(words.to) };
  const bounds = (now: number) => (isOwn(words) ? own : { from: beginning(words, now), to: "" });
  return {
    key: PERIOD_WORDS.map((word) => words[word]).join(" "),
    isChosen: Object.values(bounds(0)).some((bound) => bound !== ""),
    isPast: (now) => own.to !== "" && Date.parse(own.to) <= now,
    bounds,
  };
}

/** Says which period an address has. Empty if it has none. */
export function periodInWords(query: URLSearchParams): string {
  if (!periodOf(query).isChosen) return "";
  const words = wordsOf(query);
  const { from, to, hours, days } = words;
  if (isOwn(words)) {
    const bound = (name: string, text: string) => (moment(text) === "" ? "" : `${name} ${text.replace("T", " ")} `);
    return `${bound("from", from)}${bound("until", to)}in UTC`;
  }
  return choiceOf(words)?.[2] ?? (isCount(hours) ? `the last ${hours} hours` : `${days} days`);
}

export function usePeriod(): Period {
  const { query } = useAddress();
  return useMemo(() => periodOf(query), [query]);
}

const isOwn = ({ from, to }: Words) => from !== "" || to !== "";

const beginning = ({ hours, days }: Words, now: number) =>
  isCount(hours) ? second(now - Number(hours) * HOUR_MS) : since(days, now);

/** Returns the first of the last days, today included, or an empty text without a number of days. */
export const since = (days: string, now: number) =>
  isCount(days) ? second(now - (Number(days) - 1) * DAY_MS).slice(0, 10) : "";

const isCount = (text: string) => /^[1-9]\d{0,3}$/.test(text);

const second = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, "");

/** Writes a time of the address with its zone. A day stays: it begins in UTC. What is no time is no bound. */
function moment(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? `${text}${text.length === 16 ? ":00" : ""}Z` : "";
}

/** Writes a time of the address as a field has it. */
const asField = (text: string) => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);

/** The fields that change the period. */
export function PeriodFilter() {
  const { query } = useAddress();
  const words = wordsOf(query);
  // A field that is being typed in has no value.
  const [isTyped, setTyped] = useState(false);
  const isShown = isTyped || isOwn(words);
  const chosen = choiceOf(words);
  const choose = (value: string) => {
    setTyped(value === "own");
    const [word, count] = value.split(" ");
    if (value === "own") changeWords({ ...NONE, from: `${second(Date.now()).slice(0, 10)}T00:00` });
    else changeWords({ ...NONE, ...(word && count ? { [word]: count } : {}) });
  };
  return (
    <>
      <SelectField
        label="Period"
        value={isShown ? "own" : chosen === undefined ? "" : `${chosen[0]} ${chosen[1]}`}
        onValue={choose}
      >
        <option value="">any time</option>
        {CHOICES.map(([word, value, text]) => (
          <option key={text} value={`${word} ${value}`}>
            {text}
          </option>
        ))}
        <option value="own">times of your own</option>
      </SelectField>
      {isShown && (
        <>
          <TextField
            label="From (UTC)"
            type="datetime-local"
            value={asField(words.from)}
            onValue={(from) => changeWords({ from })}
          />
          <TextField
            label="To (UTC), not included"
            type="datetime-local"
            value={asField(words.to)}
            onValue={(to) => changeWords({ to })}
          />
        </>
      )}
    </>
  );
}
