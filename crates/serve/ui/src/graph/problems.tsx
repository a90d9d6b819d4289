/** What `tollgate check` says of the flow, each with the way to where it is. */
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
            {each.hint !== null && <p className="muted">{sentence(each.hint)}</p>}
            <p className="muted fixed">
              <Place of={each} graph={graph} />{" "}
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

/** Where it is; a script is opened there. */
function Place({ of, graph }: { of: Diagnostic; graph: Graph }) {
  const words = `${of.file}:${of.line}:${of.column}`;
  // The check may name a file from where the gateway was started.
  const script = graph.nodes.find(
    ({ script: file }) => file !== null && (of.file === file || of.file.endsWith(`/${file}`)),
  )?.script;
  return script == null ? words : <Link href={scriptAddress(script, of)}>{words}</Link>;
}

/** The note below a list that leaves out diagnostics. */
export const leftOutInWords = (many: number) => `And ${count(many)} more: correct some of these first.`;

/** How many, for a button: of warnings only where nothing is worse. */
export function problemsInWords(diagnostics: Diagnostic[]): string {
  const errors = diagnostics.filter((each) => each.severity === "error").length;
  if (errors > 0) return counted(errors, "mistake");
  return diagnostics.length > 0 ? counted(diagnostics.length, "warning") : "No mistakes";
}
