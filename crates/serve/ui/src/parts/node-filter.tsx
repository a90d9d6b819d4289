/** Chooses one node of the flow, or all. */
import { useLive } from "../live/live";
import { SelectField } from "./field";

interface NodeFilterProps {
  label: string;
  /** The kinds to offer. By default all but network elements and post-processing systems. */
  kinds?: string[];
  /** The name of the choice of no node. By default `all`. */
  all?: string;
  value: string;
  onValue: (value: string) => void;
}

export function NodeFilter({ label, kinds, all = "all", value, onValue }: NodeFilterProps) {
  const graph = useLive((live) => live.graph);
  const fits = (kind: string) =>
    kinds?.includes(kind) ?? (kind !== "network-element" && kind !== "post-processing-system");
  const names = graph?.nodes.filter((node) => fits(node.kind)).map((node) => node.name) ?? [];
  return (
    <SelectField label={label} value={value} onValue={onValue}>
      <option value="">{all}</option>
      {value !== "" && !names.includes(value) && <option>{value}</option>}
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  );
}
