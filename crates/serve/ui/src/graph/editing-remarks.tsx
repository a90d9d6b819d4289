/** Warns the editor of a flow that the flow file changed meanwhile. */
import type { Flow } from "../api/types";
import { type Editing, change } from "./editing";

export function EditingRemarks({ editing, file }: { editing: Editing; file: Flow | null }) {
  if (file === null || file.digest === editing.base.digest) return null;
  const compare = () => change((before) => ({ ...before, base: { text: file.text, digest: file.digest } }));
  return (
    <div className="remark" role="status">
      <div>
        <p>The flow file was changed by another user since you began to edit. What you save replaces that.</p>
        <button type="button" className="button" onClick={compare}>
          Compare with the flow file as it is now
        </button>
      </div>
    </div>
  );
}
