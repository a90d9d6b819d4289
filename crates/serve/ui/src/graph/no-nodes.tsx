/** The page of a flow without nodes: how to begin. */
import { Empty } from "../parts/page";

interface NoNodesProps {
  mayChange: boolean;
  isEdited: boolean;
  onEdit: () => void;
  onAdd: () => void;
}

export function NoNodes({ mayChange, isEdited, onEdit, onAdd }: NoNodesProps) {
  return (
    <div className="no-nodes">
      <Empty icon="graph" title="No node yet">
        {isEdited ? (
          <>
            <p>Begin with a network element: where files come from. Drag it here from above, or add it.</p>
            <button type="button" className="button button-main" onClick={onAdd}>
              Add a node
            </button>
          </>
        ) : mayChange ? (
          <>
            <p>A flow takes files from network elements through filters and formatters to post-processing systems.</p>
            <button type="button" className="button button-main" onClick={onEdit}>
              Edit the flow
            </button>
          </>
        ) : (
          <p>An operator or administrator can build the flow here.</p>
        )}
      </Empty>
    </div>
  );
}
