/** Approves, refuses or undoes actions. It lists them: what is approved is done at once. */
import { gateway } from "../api/gateway";
import type { RequestedAction } from "../api/types";
import { AskDialog } from "../parts/ask-dialog";
import { say } from "../parts/notices";
import { counted } from "../parts/numbers";
import { ReasonDialog } from "../parts/reason-dialog";
import { visible } from "../parts/visible";
import { type ActionDeed, DEEDS, changedInWords } from "./action-words";

/** What is done with which actions: those that were meant when the dialog was opened. */
export interface MeantActions {
  deed: ActionDeed;
  actions: readonly RequestedAction[];
}

interface ActionDialogProps {
  meant: MeantActions;
  onClose: () => void;
  onDone: () => void;
}

export function ActionDialog({ meant: { deed, actions }, onClose, onDone }: ActionDialogProps) {
  const { word, busyWord } = DEEDS[deed];
  const ids = actions.map(({ id }) => id);
  const title = `${word} ${actions.length === 1 ? `action ${ids[0]}` : counted(actions.length, "action")}?`;
  const run = (change: () => Promise<{ changed: number }>) => async () => {
    say(changedInWords(deed, ids.length, (await change()).changed));
    onDone();
  };
  if (deed === "approve") {
    const approve = run(() => gateway.approveActions(ids));
    return (
      <AskDialog title={title} onClose={onClose} answers={[{ word, busyWord, deed: approve }]}>
        <p>What is approved is done at once, unless another person must approve it, too, or actions are stopped.</p>
        <Named actions={actions} />
      </AskDialog>
    );
  }
  const change = (reason: string) =>
    run(() => (deed === "refuse" ? gateway.refuseActions(ids, reason) : gateway.undoActions(ids, reason)))();
  return (
    <ReasonDialog
      title={title}
      onClose={onClose}
      word={word}
      busyWord={busyWord}
      look={deed === "refuse" ? "grave" : "main"}
      fields={<Named actions={actions} />}
      deed={change}
    >
      {deed === "undo"
        ? "What was done is taken back, if the flow file says how."
        : actions.some(({ state }) => state === "sending")
          ? "What is refused is not sent again. What was sent already may have been done."
          : "What is refused is not done. A rule may request it again."}
    </ReasonDialog>
  );
}

/** More would not fit into the dialog. */
const NAMED_MAX = 8;

function Named({ actions }: { actions: readonly RequestedAction[] }) {
  const rest = actions.length - NAMED_MAX;
  return (
    <ul className="named-actions">
      {actions.slice(0, NAMED_MAX).map(({ id, action, key, subject }) => (
        <li key={id}>
          <strong>{visible(action)}</strong> <span className="fixed break">{visible(key)}</span>{" "}
          <span className="muted">{visible(subject)}</span>
        </li>
      ))}
      {rest > 0 && <li className="muted">and {rest} more</li>}
    </ul>
  );
}
