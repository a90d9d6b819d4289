/** Loads edited files as a version that becomes valid at a given time. */
import { useState } from "react";

import { gateway } from "../api/gateway";
import { Refusal } from "../api/client";
import type { TariffDraft } from "../api/types";
import { DiffView } from "../graph/diff-view";
import { AskDialog } from "../parts/ask-dialog";
import { TextField } from "../parts/field";
import { say } from "../parts/notices";
import type { Change } from "./copies";

interface LoadProps {
  plan: string;
  draft: TariffDraft;
  changes: Change[];
  onClose: () => void;
  onLoaded: () => void;
}

export function LoadDialog({ plan, draft, changes, onClose, onLoaded }: LoadProps) {
  const [begins, setBegins] = useState("");
  const [zone, setZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [because, setBecause] = useState("");
  const isFirst = draft.based_on == null;
  const isReady = begins !== "" && zone.trim() !== "" && because.trim() !== "";
  const load = async () => {
    const valid_from = `${begins} ${zone.trim()}`;
    const {
      version,
      diagnostics,
      gateway: answer,
    } = await gateway.loadTariff({
      plan,
      draft,
      valid_from,
      because: because.trim(),
    });
    if (version == null) {
      const texts = diagnostics.map((each) => each.text);
      throw new Refusal(0, "The plan has mistakes, and was not loaded.", texts.join("\n"));
    }
    const isHeld = answer?.answer === "mistakes";
    say(
      `Version ${version} of ${plan} is loaded, valid from ${begins.replace("T", " ")} ${zone.trim()} on.` +
        (isHeld ? " The flow has mistakes elsewhere: it goes on as it was until they are mended." : ""),
    );
    onLoaded();
  };
  return (
    <AskDialog
      title={isFirst ? `Begin ${plan} with a first version` : `Load a version of ${plan}`}
      width="wide"
      onClose={onClose}
      answers={[{ word: "Load it", busyWord: "Loading…", isReady, deed: load }]}
    >
      <div className="load-fields">
        <TextField
          label="Valid from"
          type="datetime-local"
          value={begins}
          onValue={setBegins}
          isRequired
          help={
            isFirst
              ? "It may be past: calls from then on can be priced by it."
              : "A moment to come: what is valid now has priced calls already."
          }
        />
        <TextField
          label="Time zone"
          value={zone}
          onValue={setZone}
          isRequired
          help="of that moment: Europe/Stockholm, UTC, +01:00"
        />
        <TextField
          label="Reason"
          value={because}
          onValue={setBecause}
          isRequired
          help="The audit trail shows why prices changed."
        />
      </div>
      {changes.length === 0 && !isFirst && (
        <p className="remark">The files are those of version {draft.based_on}, unchanged.</p>
      )}
      {changes.map(({ file, before, after }) => (
        <section key={file} className="section" aria-label={`Changes of ${file}`}>
          <h3 className="fixed">{file}</h3>
          <DiffView
            before={before}
            after={after}
            names={[isFirst ? "As it was begun with" : `Version ${draft.based_on}`, "As edited"]}
          />
        </section>
      ))}
    </AskDialog>
  );
}
