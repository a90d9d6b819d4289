/** Activates a version: shows the consequences, and asks for a reason. */
import { gateway } from "../api/gateway";
import { Failure } from "../parts/failure";
import { useLoad } from "../parts/load";
import { say } from "../parts/notices";
import { Waiting } from "../parts/page";
import { ReasonDialog } from "../parts/reason-dialog";
import { activationInWords } from "./activation";
import { consequencesInWords } from "./consequences";

interface ActivateProps {
  version: number;
  /** The digests of the files that the user has seen. */
  seen: { based_on?: string; found: string };
  /** The reason if it was given before, as the remark of the version. */
  because?: string;
  onClose: () => void;
  onDone: () => void;
}

export function ActivateDialog({ version, seen, because, onClose, onDone }: ActivateProps) {
  const consequences = useLoad(() => gateway.consequences({ version }), [version]);
  const activate = async (reason: string) => {
    say(activationInWords(await gateway.activate(version, { ...seen, because: reason }), `Version ${version}`));
    onDone();
  };
  const sentences = consequences.value === null ? [] : consequencesInWords(consequences.value);
  const isProposal = consequences.value?.needs_second_person === true;
  const word = isProposal ? "Propose" : "Activate";
  return (
    <ReasonDialog
      title={`${word} version ${version}`}
      word={word}
      {...(because !== undefined && { initial: because })}
      isReady={!consequences.isLoading}
      deed={activate}
      onClose={onClose}
      fields={
        consequences.value !== null ? (
          sentences.length === 0 ? (
            <p className="muted">No network element, node or receiver is added or removed.</p>
          ) : (
            <ul aria-label="Consequences">
              {sentences.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          )
        ) : consequences.problem !== null ? (
          <Failure problem={consequences.problem} again={consequences.again} />
        ) : (
          <Waiting />
        )
      }
    >
      The files of the version replace those on the disk, and the gateway switches to them without a stop
      {isProposal && ", when another user activates the version, too"}.
    </ReasonDialog>
  );
}
