/** Checks a new password before it is sent: its length, and that both entries are the same. */

/** The gateway enforces this; the check here only saves a request. */
const CHARACTERS_MIN = 12;

export const PASSWORD_HELP = `At least ${CHARACTERS_MIN} characters; a sentence is good. Common passwords, keys in a row and your name are refused.`;

export function passwordProblem(password: string, again: string): string | null {
  if ([...password].length < CHARACTERS_MIN) return `The password is too short: it needs ${CHARACTERS_MIN} characters.`;
  return password === again ? null : "The two passwords are not the same.";
}
