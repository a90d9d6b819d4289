/**
 * Scores how well a text matches what somebody types. Each typed word must occur: best at the start of a word of the
 * text, then within one, then as letters in this order with gaps.
 */

const AT_START = 100;
const WITHIN = 60;
const WITH_GAPS = 30;

/** The most letters between those of a word: with more, nearly every long text would match. */
const GAPS_MAX = 12;

/** Returns the score, or null if the text does not match. A higher score is a better match. */
export function score(text: string, typed: string, gapsMax = GAPS_MAX): number | null {
  const lower = text.toLowerCase();
  let sum = 0;
  for (const word of wordsOf(typed)) {
    const found = scoreWord(lower, word, gapsMax);
    if (found === null) return null;
    sum += found;
  }
  // Of two texts that match equally, the shorter one has less that was not typed.
  return sum - text.length / 100;
}

export const wordsOf = (typed: string) => typed.toLowerCase().split(/\s+/).filter(Boolean);

function scoreWord(text: string, word: string, gapsMax: number): number | null {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !isLetter(text.charAt(at - 1))) return AT_START - Math.min(at, 40) / 4;
  if (text.includes(word)) return WITHIN;
  const gaps = gapsOf(text, word);
  return gaps === null || gaps > gapsMax ? null : WITH_GAPS - gaps;
}

const isLetter = (letter: string) => /[\p{L}\p{N}]/u.test(letter);

/** Returns the number of letters of the text between those of the word, or null if one of them is missing. */
function gapsOf(text: string, word: string): number | null {
  let at = text.indexOf(word.charAt(0));
  let gaps = 0;
  for (const letter of word.slice(1)) {
    const next = at < 0 ? -1 : text.indexOf(letter, at + 1);
    if (next < 0) return null;
    gaps += next - at - 1;
    at = next;
  }
  return at < 0 ? null : gaps;
}
