/** What went wrong, in a sentence, and what to do. */
import type { Refusal } from "../api/client";
import { Icon } from "./icons";

export function Failure({ problem, again }: { problem: Refusal; again?: () => void }) {
  return (
    <div className="failure" role="alert">
      <Icon name="error" />
      <div>
        {problem.message.includes("\n") ? (
          <pre className="failure-lines">{problem.message}</pre>
        ) : (
          <p>{problem.message}</p>
        )}
        {problem.hint !== null && <p className="muted">{problem.hint}</p>}
        {again !== undefined && (
          <button type="button" className="button" onClick={again}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}
