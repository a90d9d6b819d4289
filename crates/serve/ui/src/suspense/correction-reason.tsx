/** The reason of a correction, with the buttons that save or undo it. */
import { TextField } from "../parts/field";

interface CorrectionProps {
  because: string;
  onBecause: (because: string) => void;
  /** Whether the record changed meanwhile. */
  isOvertaken: boolean;
  isBusy: boolean;
  onSave: () => void;
  onUndo: () => void;
}

export function CorrectionReason({ because, onBecause, isOvertaken, isBusy, onSave, onUndo }: CorrectionProps) {
  return (
    <div className="correct">
      {isOvertaken && (
        <p className="remark">
          Somebody else has corrected the record since you began. Undo what you wrote to see what it says now.
        </p>
      )}
      <TextField
        label="Reason"
        value={because}
        onValue={onBecause}
        isRequired
        help="Why it is corrected. It stays with the record, and in the trail."
      />
      <div className="actions">
        <button
          type="button"
          className="button button-main"
          disabled={isBusy || isOvertaken || because.trim() === ""}
          onClick={onSave}
        >
          Save the correction
        </button>
        <button type="button" className="button" onClick={onUndo}>
          Undo all
        </button>
      </div>
    </div>
  );
}
