/** Links to the pages, with the number of waiting items beside them. */
import { useLive } from "../live/live";
import { alarmsGrave, alarmsRaised, deliveriesWaiting } from "../live/figures";
import { Icon } from "../parts/icons";
import { short } from "../parts/numbers";
import { mayAs, useSession } from "../parts/session";
import { Link, useAddress } from "../router/router";
import { PAGES, type PageEntry } from "./pages";

export function Navigation({ onChosen }: { onChosen?: () => void }) {
  const { session } = useSession();
  const { path } = useAddress();
  return (
    <nav aria-label="Pages">
      <ul className="navigation">
        {PAGES.filter((page) => mayAs(session.role, page.needs)).map((page) => {
          const isHere = path === page.href || path.startsWith(`${page.href}/`);
          return (
            <li key={page.href}>
              <Link href={page.href} aria-current={isHere ? "page" : undefined} onClick={onChosen}>
                <Icon name={page.icon} />
                <span>{page.name}</span>
                <Badge of={page.badge} />
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
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
    <span className={`badge ${isGrave ? "badge-grave" : ""}`}>
      {short(many)}
      <span className="unseen"> {MEANING[of]}</span>
    </span>
  );
}
