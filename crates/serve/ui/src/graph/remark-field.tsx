/** The field for the remark of a version. */
import { TextField } from "../parts/field";

/** The longest remark. It is shown in a list, so it should be one or two sentences. */
const REMARK_MAX = 500;

export function RemarkField({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  return (
    <TextField
      label="Remark"
      value={value}
      onValue={onValue}
      isRequired
      maxLength={REMARK_MAX}
      help="What changes, and why. It stays with the version."
    />
  );
}
