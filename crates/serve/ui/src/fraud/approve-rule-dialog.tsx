/** Approves the version of a rule that runs, so that it may act. */
import { gateway } from "../api/gateway";
import type { RunningRule } from "../api/types";
import { say } from "../parts/notices";
import { ReasonDialog } from "../parts/reason-dialog";
import { visible } from "../parts/visible";

/** The version that was shown when the dialog was opened: another one that came meanwhile is not approved. */
export interface ApprovedRule {
  node: string;
  rule: string;
  running: RunningRule;
}

interface ApproveProps {
  of: ApprovedRule;
  onClose: () => void;
  onDone: () => void;
}

export function ApproveRuleDialog({ of: { node, rule, running }, onClose, onDone }: ApproveProps) {
  const { version, actions } = running;
  const approve = async (reason: string) => {
    const { approved } = await gateway.approveRule({ node, rule, version, reason });
    say(approved === "all" ? `${visible(rule)} may act.` : "Approved. Another person must approve it, too.");
    onDone();
  };
  return (
    <ReasonDialog
      title={`Approve ${visible(rule)}?`}
      onClose={onClose}
      word="Approve"
      busyWord="Approving…"
      deed={approve}
    >
      Version <span className="fixed break">{version}</span> of the rule then requests{" "}
      <strong>{actions.map((name) => visible(name)).join(", ")}</strong>, also about what waits for this approval. Read
      its file before you approve it.
    </ReasonDialog>
  );
}
