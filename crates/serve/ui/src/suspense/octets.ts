/** Formats octets for reading: sixteen per line, with their offset and their printable characters. */

const A_LINE = 16;

/** The number of lines to show at first. A button shows the rest. */
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
