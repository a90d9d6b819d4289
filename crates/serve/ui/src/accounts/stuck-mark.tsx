/** Until when the grants of a session are valid, or that they are no longer: its network should have reported before. */
import type { OpenSession } from "../api/types";
import { Icon } from "../parts/icons";
import { Moment } from "../parts/time";

export function StuckMark({ session: { stuck, valid_until } }: { session: OpenSession }) {
  if (!stuck) return <Moment at={valid_until} />;
  return (
    <span className="mark mark-major" title="Its grant is no longer valid, and the network has reported nothing since">
      <Icon name="error" size={14} />
      <span>
        stuck since <Moment at={valid_until} />
      </span>
    </span>
  );
}
