/** Octets as people look at them: sixteen a line, with their place and what is text in them. */

const A_LINE = 16;

/** Lines that are shown at once; the rest is asked for. */
export const LINES_MAX = 256;

export interface OctetLine {
  at: string;
  octets: string;
  text: string;
}

export function octetLines(hex: string): OctetLine[] {
  const octets = hex.match(/../g) ?? [];
  return Array.from({ length: Math.ceil(octets.length / A_LINE) }, (_, line) => {
    const some = octets.slice(line * A_LINE, (line + 1) * A_LINE);
    return {
      at: (line * A_LINE).toString(16).padStart(6, "0"),
      octets: some.join(" "),
      text: some.map((octet) => shown(Number.parseInt(octet, 16))).join(""),
    };
  });
}

const shown = (octet: number) => (octet >= 0x20 && octet < 0x7f ? String.fromCharCode(octet) : ".");
