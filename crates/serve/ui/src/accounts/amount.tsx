/** An amount for reading. Its title has all digits of octets. */
import type { AmountUnit } from "../api/types";
import { exactly, inWords } from "./amounts";

interface AmountProps {
  of: string;
  unit?: AmountUnit;
  currency: string;
}

export function Amount({ of, unit = "money", currency }: AmountProps) {
  const words = inWords(of, unit, currency);
  const exact = exactly(of, unit, currency);
  return (
    <span className="figures" title={words === exact ? undefined : exact}>
      {words}
    </span>
  );
}
