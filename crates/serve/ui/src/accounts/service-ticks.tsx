/** Services that are chosen, as ticks. */
interface ServiceTicksProps {
  legend: string;
  /** The services of the plans. */
  services: readonly string[];
  chosen: ReadonlySet<string>;
  onChosen: (chosen: ReadonlySet<string>) => void;
}

export function ServiceTicks({ legend, services, chosen, onChosen }: ServiceTicksProps) {
  const toggle = (service: string) => {
    const next = new Set(chosen);
    if (!next.delete(service)) next.add(service);
    onChosen(next);
  };
  if (services.length === 0) return null;
  return (
    <fieldset className="ticks">
      <legend className="label">{legend}</legend>
      {services.map((service) => (
        <label key={service} className="tick">
          <input type="checkbox" checked={chosen.has(service)} onChange={() => toggle(service)} />
          {service}
        </label>
      ))}
    </fieldset>
  );
}
