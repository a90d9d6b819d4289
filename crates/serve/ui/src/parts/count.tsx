/** A number in a table. A zero is less visible. */
import { count } from "./numbers";

export const Count = ({ of }: { of: number }) => <span className={of === 0 ? "zero" : undefined}>{count(of)}</span>;
