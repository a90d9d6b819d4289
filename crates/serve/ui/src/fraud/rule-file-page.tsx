/** The files of rules, and one of them in an editor. */
import "../styles/scripts.css";

import { gateway } from "../api/gateway";
import type { FraudRuleFiles } from "../api/types";
import { useLive } from "../live/live";
import { Icon } from "../parts/icons";
import { useLoad } from "../parts/load";
import { Await } from "../parts/page";
import { visible } from "../parts/visible";
import { Link } from "../router/router";
import { draftNames, draftOf } from "../scripts/drafts";
import { ruleFileAddress } from "./address";
import { FraudFrame } from "./fraud-frame";
import { isRuleFile, kindOf } from "./rule-files";
import { RulePanel } from "./rule-panel";

export function RuleFilePage({ file }: { file: string }) {
  const changes = useLive((live) => live.changes);
  const loaded = useLoad(gateway.ruleFiles, [], [changes.flow]);
  return (
    <FraudFrame lead="A file of rules: it is checked while you write, and runs when you activate it. What was counted stays, unless its measures change.">
      <Await loaded={loaded}>
        {(of) => (
          <div className="scripts">
            <FileList files={withDrafts(of)} file={file} />
            <RulePanel
              key={file}
              file={file}
              digest={of.files.find((each) => each.file === file)?.digest ?? null}
              onSaved={loaded.again}
            />
          </div>
        )}
      </Await>
    </FraudFrame>
  );
}

/** Returns the names of the files, with those of new files that are not saved yet. */
function withDrafts({ files, folders }: FraudRuleFiles): string[] {
  const begun = draftNames().filter((name) => isRuleFile(folders, name));
  return [...new Set([...files.map(({ file }) => file), ...begun])].sort();
}

function FileList({ files, file }: { files: string[]; file: string }) {
  return (
    <nav aria-label="Files of rules">
      <ul className="script-list">
        {files.map((each) => (
          <li key={each}>
            <Link href={ruleFileAddress(each)} aria-current={each === file ? "page" : undefined}>
              <Icon name={kindOf(each) === "rule" ? "fraud" : "scripts"} size={16} />
              <span>
                <span className="fixed">{visible(each)}</span>
                {draftOf(each) !== null && <span className="below muted">changed, not saved</span>}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
