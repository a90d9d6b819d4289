/** What `tollgate check` says of the flow, each with the way to where it is. */
import type { Diagnostic } from "../api/types";
import { sentence } from "../api/client";
import { Icon } from "../parts/icons";
import { counted } from "../parts/numbers";

interface ProblemsProps {
  diagnostics: Diagnostic[];
  onSelect?: (name: string) => void;
}

export function Problems({ diagnostics, onSelect }: ProblemsProps) {
  return (
    <ul className="problems" aria-label="Mistakes and warnings">
      {diagnostics.map((each, place) => (
        <li key={place} className={`problem problem-${each.severity}`}>
          <Icon name={each.severity === "error" ? "error" : "warning"} size={16} />
          <div>
            <p>
              <span className="unseen">{each.severity === "error" ? "Mistake: " : "Warning: "}</span>
              {sentence(each.message)}
            </p>
            {each.hint !== null && <p className="muted">{sentence(each.hint)}</p>}
            <p className="muted fixed">
              {each.file}:{each.line}:{each.column}{" "}
              {each.node !== null && onSelect !== undefined && (
                <button type="button" className="as-link" onClick={() => each.node !== null && onSelect(each.node)}>
                  {each.node}
                </button>
              )}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** How many, for a button: of warnings only where nothing is worse. */
export function problemsInWords(diagnostics: Diagnostic[]): string {
  const errors = diagnostics.filter((each) => each.severity === "error").length;
  if (errors > 0) return counted(errors, "mistake");
  return diagnostics.length > 0 ? counted(diagnostics.length, "warning") : "No mistakes";
}
