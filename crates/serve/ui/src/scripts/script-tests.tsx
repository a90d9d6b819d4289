/** Runs the tests of the edited script, and shows results and the lines that no test runs. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { ScriptTest, ScriptTests as Found } from "../api/types";
import { Failure } from "../parts/failure";
import { Icon } from "../parts/icons";
import { useDeed } from "../parts/load";
import { counted } from "../parts/numbers";

const RESULTS: { [result in ScriptTest["result"]]: string } = {
  passed: "passed",
  failed: "failed",
  "not-run": "not run: those before it took all the time that there is",
};

interface TestsProps {
  file: string;
  text: string;
  onSought: (place: { line: number; column: number }) => void;
}

export function ScriptTests({ file, text, onSought }: TestsProps) {
  const [tested, setTested] = useState<{ of: string; found: Found } | null>(null);
  const deed = useDeed();
  const run = () => deed.run(async () => setTested({ of: text, found: await gateway.testScript(file, text) }));
  const line = (number: number) => (
    <button type="button" className="as-link figures" onClick={() => onSought({ line: number, column: 1 })}>
      Line {number}
    </button>
  );
  return (
    <section aria-label="Tests of the script">
      <div className="section-head">
        <h3>Tests</h3>
        <button type="button" className="button" disabled={deed.isBusy} onClick={run}>
          {deed.isBusy ? "Running…" : "Run the tests"}
        </button>
      </div>
      {deed.problem !== null && <Failure problem={deed.problem} />}
      <div role="status" aria-label="Results of the tests">
        {tested !== null && (
          <>
            {tested.of !== text && <p className="muted">The script was changed since they ran.</p>}
            <p>{summary(tested.found)}</p>
            <ul className="problems">
              {tested.found.tests.map(({ name, line: at, result, reason }, place) => (
                <li key={place} className={`problem ${result === "failed" ? "problem-error" : ""}`}>
                  <Icon name={result === "passed" ? "check" : result === "failed" ? "error" : "warning"} size={16} />
                  <div>
                    <p>
                      {line(at)}: {name}, {RESULTS[result]}
                    </p>
                    {reason != null && <pre className="break">{reason}</pre>}
                  </div>
                </li>
              ))}
            </ul>
            {tested.found.lines_not_run.length > 0 && (
              <p>
                No test runs:{" "}
                {tested.found.lines_not_run.map((number) => (
                  <span key={number}>{line(number)} </span>
                ))}
              </p>
            )}
          </>
        )}
      </div>
    </section>
  );
}

function summary({ tests, lines, lines_not_run: missed }: Found): string {
  if (tests.length === 0) return "The script has no tests.";
  const passed = tests.filter((each) => each.result === "passed").length;
  return `${passed} of ${counted(tests.length, "test")} passed; they run ${lines - missed.length} of ${counted(lines, "line")}.`;
}
