/** The condition of an alert with its values, a part of it a line. */
import { visible } from "../parts/visible";

/** Returns the parts of a condition, each after the first with the operator before it. */
export const partsOf = (condition: string): string[] => condition.split(/ (?=(?:&&|\|\|) )/);

export const Condition = ({ of }: { of: string }) => (
  <span className="fixed break fraud-condition">
    {partsOf(of).map((part, place) => (
      <span key={place} className="below">
        {visible(part)}
      </span>
    ))}
  </span>
);
