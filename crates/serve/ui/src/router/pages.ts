/**
 * The areas of the interface and their pages, in the order of the navigation. A new page needs an entry here and a line
 * in `app.tsx`.
 *
 * An area is what somebody is about to do, not a part of the product. It has no address: addresses of pages stay the
 * same when a page moves to another area.
 */
import type { Role } from "../api/types";
import type { IconName } from "../parts/icons";

export interface PageEntry {
  href: string;
  name: string;
  icon: IconName;
  needs: Role;
  /** What the gateway must have for the page. Without it, the navigation does not show the page. */
  only?: "charging" | "fraud";
  /** The figure beside the link. */
  badge?: "alarms" | "suspense" | "deliveries";
  /** Other words for the page, which the command palette also finds. */
  alias: string;
}

export interface Area {
  name: string;
  pages: readonly PageEntry[];
  /** Whether the navigation shows its pages before somebody opens or closes it: those of daily work. */
  isOpen: boolean;
}

const page = (
  href: string,
  name: string,
  icon: IconName,
  alias: string,
  more: Partial<Pick<PageEntry, "needs" | "only" | "badge">> = {},
): PageEntry => ({ href, name, icon, alias, needs: "viewer", ...more });

export const AREAS: readonly Area[] = [
  {
    name: "Monitor",
    isOpen: true,
    pages: [
      page("/graph", "Graph", "graph", "flow nodes versions edit"),
      page("/alarms", "Alarms", "alarms", "alerts incidents", { badge: "alarms" }),
      page(
        "/fraud",
        "Fraud",
        "fraud",
        "cases alerts rules precision decide actions approvals lists reports shift console",
        {
          only: "fraud",
        },
      ),
      page("/throughput", "Throughput", "plots", "charts rate delay threads"),
      page("/audit", "Audit", "audit", "reconciliation balance sums sequences missing gaps"),
    ],
  },
  {
    name: "Explore",
    isOpen: true,
    pages: [
      page("/files", "Files", "files", "inputs collected"),
      page("/records", "Records", "records", "decode content octets"),
      page("/trace", "Trace", "trace", "lineage record path"),
    ],
  },
  {
    name: "Repair",
    isOpen: true,
    pages: [
      page("/suspense", "Suspense", "suspense", "errors rejected retry", { badge: "suspense" }),
      page("/deliveries", "Deliveries", "deliveries", "outputs receivers retry", { badge: "deliveries" }),
      page("/matching", "Matching", "matching", "groups partial records"),
    ],
  },
  {
    name: "Build",
    isOpen: false,
    pages: [
      page("/scripts", "Scripts", "scripts", "dup editor"),
      page("/replay", "Replay", "replay", "test try change"),
      page("/reference", "API", "reference", "reference openapi curl"),
    ],
  },
  {
    name: "Charge",
    isOpen: false,
    pages: [
      page("/accounts", "Accounts", "accounts", "prepaid subscribers balances refill statement", { only: "charging" }),
      page("/tariffs", "Tariffs", "rating", "prices rating plans counters"),
    ],
  },
  {
    name: "Admin",
    isOpen: false,
    pages: [
      page("/trail", "Trail", "trail", "audit trail changes log"),
      page("/people", "People", "people", "users roles tokens", { needs: "administrator" }),
    ],
  },
];

/** What a gateway may have that pages are about. */
export interface Equipped {
  hasCharging: boolean;
  hasFraud: boolean;
}

/** Returns whether a page is shown in a gateway that has some things. */
export const isWith = (page: PageEntry, { hasCharging, hasFraud }: Equipped) =>
  (page.only !== "charging" || hasCharging) && (page.only !== "fraud" || hasFraud);

export const PAGES: readonly PageEntry[] = AREAS.flatMap((area) => area.pages);

export interface Place {
  area: Area;
  page: PageEntry;
}

/** Returns the page that an address belongs to, with its area: the page itself, or the nearest one above it. */
export function placeOf(path: string): Place | null {
  let found: Place | null = null;
  for (const area of AREAS) {
    for (const page of area.pages) {
      const isWithin = path === page.href || path.startsWith(`${page.href}/`);
      if (isWithin && page.href.length > (found?.page.href.length ?? 0)) found = { area, page };
    }
  }
  return found;
}
