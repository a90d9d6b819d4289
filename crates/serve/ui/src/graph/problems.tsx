/** The diagnostics of `tollgate check`, each with a link to its place. */
import type { Diagnostic, Graph } from "../api/types";
import { sentence } from "../api/client";
import { Icon } from "../parts/icons";
import { Link } from "../router/router";
import { scriptAddress } from "../scripts/address";
import { count, counted } from "../parts/numbers";

interface ProblemsProps {
  diagnostics: Diagnostic[];
  graph: Graph;
  onSelect?: (name: string) => void;
}

export function Problems({ diagnostics, graph, onSelect }: ProblemsProps) {
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
            {each.hint != null && <p className="muted">{sentence(each.hint)}</p>}
            <p className="muted fixed">
              <Place of={each} graph={graph} />{" "}
              {each.node != null && onSelect !== undefined && (
                <button type="button" className="as-link" onClick={() => each.node != null && onSelect(each.node)}>
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

/** Shows the place of a diagnostic. If it is in a script, the place is a link. */
function Place({ of, graph }: { of: Diagnostic; graph: Graph }) {
  const words = `${of.file}:${of.line}:${of.column}`;
  // The path in a diagnostic can be relative to the working directory of the gateway.
  const script = graph.nodes.find(
    ({ script: file }) => file != null && (of.file === file || of.file.endsWith(`/${file}`)),
  )?.script;
  return script == null ? words : <Link href={scriptAddress(script, of)}>{words}</Link>;
}

/** The note below a list that omits diagnostics. */
export const leftOutInWords = (many: number) => `And ${count(many)} more: correct some of these first.`;

/** Returns the label of the button: the number of mistakes or, without mistakes, of warnings. */
export function problemsInWords(diagnostics: Diagnostic[]): string {
  const errors = diagnostics.filter((each) => each.severity === "error").length;
  if (errors > 0) return counted(errors, "mistake");
  return diagnostics.length > 0 ? counted(diagnostics.length, "warning") : "No mistakes";
}
