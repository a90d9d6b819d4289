/** The frame of a page: its title, its actions, and what it shows while it has no data. */
import { type ReactNode, useEffect } from "react";

import { alarmsGrave } from "../live/figures";
import { useLive } from "../live/live";
import { placeOf } from "../router/pages";
import { Link, useAddress } from "../router/router";
import type { Loaded } from "./load";
import { Failure } from "./failure";
import { Icon, type IconName } from "./icons";

interface PageProps {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, lead, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <Breadcrumb />
          <h1>{title}</h1>
          {lead !== undefined && <p className="muted">{lead}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Shows the area of the page, and the page itself if this is one below it. */
export function Breadcrumb({ isWhole = false }: { /** Whether to name the page itself, too. */ isWhole?: boolean }) {
  const { path } = useAddress();
  const place = placeOf(path);
  if (place === null) return null;
  const isBelow = path !== place.page.href;
  return (
    <nav className="breadcrumb" aria-label="Breadcrumb">
      <ol>
        <li>{place.area.name}</li>
        {isBelow && (
          <li>
            <Link href={place.page.href}>{place.page.name}</Link>
          </li>
        )}
        {isWhole && !isBelow && <li aria-current="page">{place.page.name}</li>}
      </ol>
    </nav>
  );
}

/** Sets the window's title. It names the area, and includes the number of grave alarms, which is visible in the task bar, too. */
export function useTitle(title: string): void {
  const grave = useLive(({ now }) => (now === null ? 0 : alarmsGrave(now)));
  const area = placeOf(useAddress().path)?.area.name;
  useEffect(() => {
    const names = [title, ...(area === undefined ? [] : [area]), "Tollgate"];
    document.title = (grave > 0 ? `(${grave}) ` : "") + names.join(" · ");
  }, [title, area, grave]);
}

/** Shows that there is nothing, why, and what to do. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children !== undefined && <div className="muted">{children}</div>}
    </div>
  );
}

/** Shows the loaded value, or that it is loading, or why it failed to load. */
export function Await<T>({ loaded, children }: { loaded: Loaded<T>; children: (value: T) => ReactNode }) {
  return (
    <>
      {loaded.problem !== null && <Failure problem={loaded.problem} again={loaded.again} />}
      {loaded.value !== null ? children(loaded.value) : loaded.problem === null && <Waiting />}
    </>
  );
}

export function Waiting() {
  return (
    <p className="waiting" role="status">
      Asking the gateway…
    </p>
  );
}
