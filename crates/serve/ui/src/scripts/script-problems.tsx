/** The mistakes of a script, each with a link to its place. */
import type { Diagnostic } from "../api/types";
import { sentence } from "../api/client";
import { leftOutInWords } from "../graph/problems";
import { Icon } from "../parts/icons";

interface ProblemsProps {
  label?: string;
  diagnostics: Diagnostic[];
  /** The number of further diagnostics that the answer omits. */
  leftOut?: number;
  onSought: (place: { line: number; column: number }) => void;
}

export function ScriptProblems({ label = "Check of the script", diagnostics, leftOut = 0, onSought }: ProblemsProps) {
  return (
    <div role="status" aria-label={label}>
      {diagnostics.length === 0 ? (
        <p className="muted">
          <Icon name="check" size={14} /> No mistakes.
        </p>
      ) : (
        <ul className="problems">
          {diagnostics.map((each, place) => (
            <li key={place} className={`problem problem-${each.severity}`}>
              <Icon name={each.severity === "error" ? "error" : "warning"} size={16} />
              <div>
                <p>
                  <button
                    type="button"
                    className="as-link figures"
                    onClick={() => onSought({ line: each.line, column: each.column })}
                  >
                    Line {each.line}, column {each.column}
                  </button>
                  : {sentence(each.message)}
                </p>
                {each.hint != null && <p className="muted">{sentence(each.hint)}</p>}
              </div>
            </li>
          ))}
        </ul>
      )}
      {leftOut > 0 && <p className="muted">{leftOutInWords(leftOut)}</p>}
    </div>
  );
}
