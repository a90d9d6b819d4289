/** An error: what went wrong, and what to do. */
import type { Refusal } from "../api/client";
import { Icon } from "./icons";

export function Failure({ problem, again }: { problem: Refusal; again?: () => void }) {
  return (
    <div className="failure" role="alert">
      <Icon name="error" />
      <div>
        <Said text={problem.message} />
        {problem.hint !== null && <Said text={problem.hint} className="muted" />}
        {problem.code !== null && (
          <p className="muted fixed" title="The code of this error, as in the documentation">
            {problem.code}
          </p>
        )}
        {again !== undefined && (
          <button type="button" className="button" onClick={again}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

/**
 * Shows a sentence, or a mistake with its line of source in a fixed-width font, so that the marks are below their
 * words.
 */
function Said({ text, className }: { text: string; className?: string }) {
  return text.includes("\n") ? <pre className="failure-lines">{text}</pre> : <p className={className}>{text}</p>;
}
