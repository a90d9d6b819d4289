/** A number in a table; naught is not to catch the eye. */
import { count } from "./numbers";

export const Count = ({ of }: { of: number }) => <span className={of === 0 ? "zero" : undefined}>{count(of)}</span>;
