/** The filters of the address of suspense that leave only some of its records. */
import type { ActiveFilter } from "../parts/active-filters";
import { PERIOD_WORDS, periodInWords } from "../parts/period";

const NAMES = [
  ["network_element", "Network element"],
  ["node", "Node"],
  ["file", "File"],
  ["code", "Code"],
  ["reason", "Reason"],
  ["template", "Reason"],
  ["value", "Value in the reason"],
] as const;

/** Returns the filters of an address that are not empty. The state is none of them: there is always one. */
export function narrowingOf(query: URLSearchParams): ActiveFilter[] {
  const isUnread = query.get("unread") === "true";
  const named = NAMES.flatMap(([word, name]) => {
    const value = query.get(word) ?? "";
    // `unread` prevails, as in the request.
    return value === "" || (word === "node" && isUnread) ? [] : [{ name, value, words: [word] }];
  });
  const period = periodInWords(query);
  return [
    ...named,
    ...(isUnread ? [{ name: "Node", value: "could not be read", words: ["unread", "node"] }] : []),
    ...(period === "" ? [] : [{ name: "Period", value: period, words: PERIOD_WORDS }]),
  ];
}
