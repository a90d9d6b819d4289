/**
 * Moves the counters of a node to another, accepts them or deletes them, with a reason that goes to the audit trail.
 */
import { useState } from "react";

import { gateway } from "../api/gateway";
import type { ChangedCounters, CountersAction, DoubtedNode } from "../api/types";
import { SelectField } from "../parts/field";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";
import { ReasonDialog } from "../parts/reason-dialog";

interface CountersProps {
  deed: CountersAction;
  of: DoubtedNode;
  /** The nodes to which the counters can be moved. */
  keeping: string[];
  onClose: () => void;
  onDone: () => void;
}

const ANSWERS: Record<CountersAction, { word: string; busyWord: string; look: "main" | "grave" }> = {
  move: { word: "Move", busyWord: "Moving…", look: "main" },
  accept: { word: "Accept", busyWord: "Accepting…", look: "main" },
  forget: { word: "Forget", busyWord: "Forgetting…", look: "grave" },
};

export function CountersDialog({ deed, of, keeping, onClose, onDone }: CountersProps) {
  const { node, why } = of;
  // A single possible target is selected.
  const [to, setTo] = useState(keeping.length === 1 ? keeping[0]! : "");
  const isMoved = deed === "move";
  const change = async (because: string) => {
    const changed = await gateway.changeCounters(deed, node, isMoved ? to : null, because);
    say(becameInWords(deed, node, to, changed));
    onDone();
  };
  return (
    <ReasonDialog
      title={`${ANSWERS[deed].word} the counters of ${node}?`}
      onClose={onClose}
      {...ANSWERS[deed]}
      isReady={!isMoved || to !== ""}
      deed={change}
      fields={
        isMoved && (
          <SelectField
            label="Its name now"
            value={to}
            onValue={setTo}
            isRequired
            help={
              keeping.length === 0
                ? "No node is known that keeps counters: the flow has none, or a mistake for which it cannot be read."
                : "the node that is meant to have them"
            }
          >
            <option value="">Choose a node</option>
            {keeping.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </SelectField>
        )
      }
    >
      {deed === "move" &&
        "The node has another name now, and gets all of its counters. What it has counted under that name meanwhile is added up."}
      {deed === "accept" &&
        "The subscribers are the same, though the node names them otherwise now: all counters that it has count on."}
      {deed === "forget" &&
        (why === "orphaned"
          ? `All that was counted of ${counted(of.subscribers, "subscriber")} is given up, for good.`
          : "What was counted when the node said otherwise is given up, for good. Of a subscriber who was counted by what it says now too, all stays.")}
    </ReasonDialog>
  );
}

/** Describes what happened to the counters. */
export function becameInWords(deed: CountersAction, node: string, to: string, changed: ChangedCounters): string {
  if (changed.waiting) return `It is asked for, and done as soon as no file is in work.`;
  const of = `The counters of ${counted(changed.subscribers, "subscriber")}`;
  if (deed === "accept") return `${of} in ${node} count on.`;
  if (deed === "forget") {
    const stay = `; those of ${counted(changed.left, "subscriber")} stay, which were counted by what the node says now too`;
    return `${of} in ${node} are forgotten${changed.left === 0 ? "" : stay}.`;
  }
  const both = `; ${changed.added_up.toLocaleString("en")} had been counted under both names: that is added up`;
  return `${of} go from ${node} to ${to}${changed.added_up === 0 ? "" : both}.`;
}
