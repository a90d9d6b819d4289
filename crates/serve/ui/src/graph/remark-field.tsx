/** What a version is for, in the words of who saves it. */
import { TextField } from "../parts/field";

/** A remark is a sentence or two: it stands in a list. */
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
