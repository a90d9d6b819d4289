/** A number in a table. A zero is less visible. */
import { count } from "./numbers";

export const Count = ({ of }: { of: number | bigint }) => (
  <span className={Number(of) === 0 ? "zero" : undefined}>{count(of)}</span>
);
