/** Links to the pages by area, with the number of waiting items beside them. A closed area shows these numbers itself. */
import { useEffect, useId, useState } from "react";

import { useHasCharging } from "../accounts/presence";
import { hasFraudNode } from "../fraud/presence";
import { useLive } from "../live/live";
import { alarmsGrave, alarmsRaised, deliveriesWaiting } from "../live/figures";
import { Icon } from "../parts/icons";
import { short } from "../parts/numbers";
import { mayAs, useSession } from "../parts/session";
import { keepText, storedText } from "../parts/storage";
import { AREAS, type Area, type PageEntry, isWith, placeOf } from "../router/pages";
import { Link, useAddress } from "../router/router";

export function Navigation({ onChosen }: { onChosen?: () => void }) {
  const { session } = useSession();
  const { path } = useAddress();
  const hasCharging = useHasCharging();
  const hasFraud = useLive(({ graph }) => hasFraudNode(graph));
  const here = placeOf(path);
  const [open, toggle] = useOpenAreas(here?.area.name ?? null);
  return (
    <nav className="navigation" aria-label="Pages">
      <ul>
        {AREAS.map((area) => {
          const pages = area.pages.filter(
            (page) => mayAs(session.role, page.needs) && isWith(page, { hasCharging, hasFraud }),
          );
          if (pages.length === 0) return null;
          return (
            <AreaItem key={area.name} area={area} pages={pages} isOpen={open(area)} onToggle={() => toggle(area)}>
              {(page) => (
                <Link
                  href={page.href}
                  className="navigation-page"
                  aria-current={page === here?.page ? "page" : undefined}
                  onClick={onChosen}
                >
                  <Icon name={page.icon} />
                  <span>{page.name}</span>
                  <Badge of={page.badge} />
                </Link>
              )}
            </AreaItem>
          );
        })}
      </ul>
    </nav>
  );
}

interface AreaItemProps {
  area: Area;
  pages: readonly PageEntry[];
  isOpen: boolean;
  onToggle: () => void;
  children: (page: PageEntry) => React.ReactNode;
}

function AreaItem({ area, pages, isOpen, onToggle, children }: AreaItemProps) {
  const id = useId();
  return (
    <li className="area">
      <button type="button" className="area-name" aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
        <Icon name="next" size={12} />
        <span>{area.name}</span>
        {!isOpen && pages.map((page) => <Badge key={page.href} of={page.badge} />)}
      </button>
      <ul id={id} hidden={!isOpen}>
        {isOpen && pages.map((page) => <li key={page.href}>{children(page)}</li>)}
      </ul>
    </li>
  );
}

const KEY = "tollgate-areas";

/** The areas that the user has opened or closed, by name. */
function stored(): Record<string, boolean> {
  try {
    const found: unknown = JSON.parse(storedText(KEY) ?? "{}");
    return typeof found === "object" && found !== null ? (found as Record<string, boolean>) : {};
  } catch {
    return {};
  }
}

/**
 * Returns whether an area is open, and a function that opens or closes it. The area of the current page is open, unless
 * it is closed while that page is shown.
 */
function useOpenAreas(here: string | null): [(area: Area) => boolean, (area: Area) => void] {
  const [chosen, setChosen] = useState(stored);
  const [isHereShut, setHereShut] = useState(false);
  useEffect(() => setHereShut(false), [here]);
  const isOpen = (area: Area) => (area.name === here ? !isHereShut : (chosen[area.name] ?? area.isOpen));
  const toggle = (area: Area) => {
    const next = { ...chosen, [area.name]: !isOpen(area) };
    if (area.name === here) setHereShut(!isHereShut);
    setChosen(next);
    keepText(KEY, JSON.stringify(next));
  };
  return [isOpen, toggle];
}

const MEANING = { alarms: "raised", suspense: "open", deliveries: "waiting" } as const;

function Badge({ of }: { of: PageEntry["badge"] }) {
  const many = useLive(({ now }) => {
    if (now === null || of === undefined) return 0;
    if (of === "alarms") return alarmsRaised(now.alarms);
    return of === "suspense" ? now.suspense_open : deliveriesWaiting(now);
  });
  const isGrave = useLive(({ now }) => of === "alarms" && now !== null && alarmsGrave(now) > 0);
  if (of === undefined || many === 0) return null;
  return (
    <span className={`badge ${isGrave ? "badge-grave" : ""}`} title={`${of}: ${short(many)} ${MEANING[of]}`}>
      {short(many)}
      <span className="unseen"> {MEANING[of]}</span>
    </span>
  );
}
