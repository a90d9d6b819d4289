/** The reference of an operation. */
import { TextField } from "../parts/field";

interface ReferenceProps {
  value: string;
  onValue: (value: string) => void;
  /** What the reference is of. */
  of: string;
}

export const ReferenceField = ({ value, onValue, of }: ReferenceProps) => (
  <TextField
    label="Reference"
    value={value}
    onValue={onValue}
    isRequired
    help={`That of the ${of}, if it has one. The same reference counts once.`}
  />
);
