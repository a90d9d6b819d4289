/** The figures of the shift. Each leads to what it counts. */
import type { ReactNode } from "react";

import { worstFirst } from "../alarms/alarms-page";
import { count } from "../parts/numbers";
import { Link } from "../router/router";
import { type Shift, waits } from "./shift";

interface TilesProps {
  of: Shift;
  /** The number of open cases. */
  open: number;
  /** Whether there are more open cases than were loaded. */
  hasMore: boolean;
}

export function ShiftTiles({ of, open, hasMore }: TilesProps) {
  const { critical, free, waiting, failing, rules, proposed, alarms } = of;
  const oldest = critical[0];
  const now = Date.now();
  const more = hasMore ? "+" : "";
  return (
    <ul className="shift-tiles" aria-label="What waits">
      <Tile
        name="Critical cases"
        many={critical.length}
        more={more}
        look="critical"
        href="/fraud"
        below={oldest === undefined ? "none open" : `oldest ${waits(oldest.opened, now)}`}
      />
      <Tile
        name="Unassigned"
        many={free}
        more={more}
        look="minor"
        href="/fraud?assigned=no-one"
        below={`of ${count(open)}${more} open`}
      />
      <Tile
        name="Actions wait"
        many={waiting.length}
        look="minor"
        href="/fraud/actions"
        below={waiting[0] === undefined ? "none" : `oldest ${waits(waiting[0].requested, now)}`}
      />
      <Tile
        name="Actions fail"
        many={failing.length}
        look="major"
        href="/fraud/actions"
        below={failing.length === 0 ? "none" : "tried again"}
      />
      <Tile name="Rule versions" many={rules.length} look="minor" href="/fraud/rules" below="to be approved" />
      <Tile name="Proposals" many={proposed.length} look="minor" href="/graph" below="of the flow" />
      <Tile
        name="Alarms"
        many={alarms.length}
        look={worstFirst(alarms)[0]?.severity ?? "minor"}
        href="/alarms"
        below="of fraud"
      />
    </ul>
  );
}

interface TileProps {
  name: string;
  many: number;
  more?: string;
  /** The look, if there are any. */
  look: string;
  href: string;
  below: ReactNode;
}

const Tile = ({ name, many, more = "", look, href, below }: TileProps) => (
  <li>
    <Link className={`shift-tile ${many === 0 ? "" : `shift-${look}`}`} href={href}>
      <span className="shift-name">{name}</span>
      <span className="shift-many">
        {count(many)}
        {many > 0 && more}
      </span>
      <span className="shift-below">{below}</span>
    </Link>
  </li>
);
