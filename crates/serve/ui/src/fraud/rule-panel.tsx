/** A file of rules: its text, its mistakes, and its activation. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { Activation, FraudRuleText } from "../api/types";
import { useLoad } from "../parts/load";
import { Await } from "../parts/page";
import { useMay } from "../parts/session";
import { Link, go } from "../router/router";
import { draftOf } from "../scripts/drafts";
import { ScriptProblems } from "../scripts/script-problems";
import { useSource } from "../scripts/source";
import { SourceSection } from "../scripts/source-section";
import { kindOf } from "./rule-files";

interface PanelProps {
  file: string;
  /** The digest of the current file. Null if there is none. */
  digest: string | null;
  onSaved: () => void;
}

export function RulePanel({ file, digest, onSaved }: PanelProps) {
  // A new file is a draft that is made from no text, until it is saved.
  const [isNew, setNew] = useState(() => digest === null && draftOf(file)?.basedOn === "");
  if (!isNew) return <Known file={file} digest={digest} onSaved={onSaved} />;
  const saved = ({ answer }: Activation) => {
    onSaved();
    // What is proposed is no file yet: the user is back at the rules.
    if (answer !== "proposed") setNew(false);
  };
  return <Written text={{ file, text: "", digest: "" }} isOld={digest !== null} onSaved={saved} again={toRules} />;
}

const toRules = () => go("/fraud/rules");

function Known({ file, digest, onSaved }: PanelProps) {
  const loaded = useLoad(() => gateway.ruleFile(file), [file]);
  const saved = () => {
    loaded.again();
    onSaved();
  };
  return (
    <Await loaded={loaded}>
      {(text) => (
        <Written
          key={text.digest}
          text={text}
          isOld={digest !== null && digest !== text.digest}
          onSaved={saved}
          again={loaded.again}
        />
      )}
    </Await>
  );
}

/** A viewer reads the file: the gateway checks no text for one. */
const unchecked: typeof gateway.checkRuleFile = () => Promise.resolve({ diagnostics: [], diagnostics_left_out: 0 });

interface WrittenProps {
  text: FraudRuleText;
  isOld: boolean;
  onSaved: (activation: Activation) => void;
  again: () => void;
}

function Written({ text, isOld, onSaved, again }: WrittenProps) {
  const { file } = text;
  const mayChange = useMay("operator");
  const source = useSource(text, mayChange ? gateway.checkRuleFile : unchecked, again);
  const [isProposed, setProposed] = useState(false);
  const here = source.diagnostics.filter((each) => each.file === file);
  const elsewhere = source.diagnostics.filter((each) => each.file !== file);
  return (
    <SourceSection
      kind={kindOf(file)}
      source={source}
      diagnostics={here}
      isOld={isOld}
      save={(text, basedOn, remark) => gateway.saveRuleFile(file, text, basedOn, remark)}
      onSaved={(activation) => {
        setProposed(activation.answer === "proposed");
        onSaved(activation);
      }}
      remark={
        isProposed && (
          <p className="remark" role="status">
            <span>
              Your change is proposed. Another user activates its version: on the page <Link href="/graph">Graph</Link>,
              under “Versions”.
            </span>
          </p>
        )
      }
    >
      {mayChange && (
        <ScriptProblems label="Check of the file" diagnostics={here} leftOut={source.leftOut} onSought={source.seek} />
      )}
      {elsewhere.map((each, place) => (
        <pre key={place} className="remark fixed break">
          {each.text}
        </pre>
      ))}
    </SourceSection>
  );
}
