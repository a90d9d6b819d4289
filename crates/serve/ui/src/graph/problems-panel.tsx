/** The list of all mistakes and warnings of the flow. */
import type { Diagnostic, Graph } from "../api/types";
import { Icon } from "../parts/icons";
import { Problems, leftOutInWords } from "./problems";

interface PanelProps {
  diagnostics: Diagnostic[];
  /** The number of further diagnostics that the answer omits. */
  leftOut: number;
  graph: Graph;
  onSelect: (name: string) => void;
  onClose: () => void;
}

export function ProblemsPanel({ diagnostics, leftOut, graph, onSelect, onClose }: PanelProps) {
  return (
    <section className="panel" aria-label="Check of the flow">
      <header className="panel-head">
        <Icon name="check" />
        <h2>Check</h2>
        <button type="button" className="button button-quiet" aria-label="Close the panel" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="panel-body">
        {diagnostics.length === 0 ? (
          <p className="muted">Nothing is wrong: the same checks as “tollgate check”.</p>
        ) : (
          <>
            <Problems diagnostics={diagnostics} graph={graph} onSelect={onSelect} />
            {leftOut > 0 && <p className="muted">{leftOutInWords(leftOut)}</p>}
          </>
        )}
      </div>
    </section>
  );
}
