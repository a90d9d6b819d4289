/** Fields for the number of an account that uses a service, and for the service. */
import { SelectField } from "../parts/field";

interface FieldProps {
  value: string;
  onValue: (value: string) => void;
}

export function NumberField({ numbers, ...field }: FieldProps & { numbers: readonly string[] }) {
  return (
    <SelectField label="Number" {...field}>
      {numbers.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </SelectField>
  );
}

export function ServiceField({ services, ...field }: FieldProps & { services: readonly string[] }) {
  return (
    <SelectField label="Service" {...field}>
      {services.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </SelectField>
  );
}
