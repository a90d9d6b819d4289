/** Why a record is corrected, and the buttons that keep the correction or undo it. */
import { TextField } from "../parts/field";

interface CorrectionProps {
  because: string;
  onBecause: (because: string) => void;
  isBusy: boolean;
  onSave: () => void;
  onUndo: () => void;
}

export function CorrectionReason({ because, onBecause, isBusy, onSave, onUndo }: CorrectionProps) {
  return (
    <div className="correct">
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
          disabled={isBusy || because.trim() === ""}
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
