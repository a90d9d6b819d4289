/** Services and tariff classes that are chosen, as ticks. */
export interface Scopes {
  services: ReadonlySet<string>;
  classes: ReadonlySet<string>;
}

interface ScopeTicksProps {
  /** The legend of the services. */
  legend: string;
  /** Those that can be chosen. */
  known: { services: readonly string[]; classes: readonly string[] };
  chosen: Scopes;
  onChosen: (chosen: Scopes) => void;
}

export function ScopeTicks({ legend, known, chosen, onChosen }: ScopeTicksProps) {
  return (
    <>
      <Ticks
        legend={legend}
        names={known.services}
        chosen={chosen.services}
        onChosen={(services) => onChosen({ ...chosen, services })}
      />
      <Ticks
        legend="Tariff classes"
        names={known.classes}
        chosen={chosen.classes}
        onChosen={(classes) => onChosen({ ...chosen, classes })}
      />
    </>
  );
}

interface TicksProps {
  legend: string;
  names: readonly string[];
  chosen: ReadonlySet<string>;
  onChosen: (chosen: ReadonlySet<string>) => void;
}

function Ticks({ legend, names, chosen, onChosen }: TicksProps) {
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    onChosen(next);
  };
  if (names.length === 0) return null;
  return (
    <fieldset className="ticks">
      <legend className="label">{legend}</legend>
      {names.map((name) => (
        <label key={name} className="tick">
          <input type="checkbox" checked={chosen.has(name)} onChange={() => toggle(name)} />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
