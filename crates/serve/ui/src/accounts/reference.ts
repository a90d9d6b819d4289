/** References of operations: one that comes again with its reference changes nothing. */

const OCTETS = 8;

/**
 * Returns a random reference, which a dialog has from its beginning: a second click, or a retry after a lost connection,
 * counts once. `crypto.randomUUID` is missing where the gateway is reached without TLS.
 */
export function newReference(): string {
  const octets = crypto.getRandomValues(new Uint8Array(OCTETS));
  return `web-${[...octets].map((octet) => octet.toString(16).padStart(2, "0")).join("")}`;
}
