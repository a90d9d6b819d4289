/** What is asked of a password before the gateway is: that it is long, and what was meant. */

/** The gateway decides; this is so that nobody waits for its answer. */
const CHARACTERS_MIN = 12;

export const PASSWORD_HELP = `At least ${CHARACTERS_MIN} characters; a sentence is good. Common passwords, keys in a row and your name are refused.`;

export function passwordProblem(password: string, again: string): string | null {
  if ([...password].length < CHARACTERS_MIN) return `The password is too short: it needs ${CHARACTERS_MIN} characters.`;
  return password === again ? null : "The two passwords are not the same.";
}
