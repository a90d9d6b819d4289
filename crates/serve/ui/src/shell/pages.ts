/** The pages in the order of the navigation. A new page needs a line here and one in `app.tsx`. */
import type { Role } from "../api/types";
import type { IconName } from "../parts/icons";

export interface PageEntry {
  href: string;
  name: string;
  icon: IconName;
  needs: Role;
  /** The figure beside the link. */
  badge?: "alarms" | "suspense" | "deliveries";
}

export const PAGES: PageEntry[] = [
  { href: "/graph", name: "Graph", icon: "graph", needs: "viewer" },
  { href: "/alarms", name: "Alarms", icon: "alarms", needs: "viewer", badge: "alarms" },
  { href: "/suspense", name: "Suspense", icon: "suspense", needs: "viewer", badge: "suspense" },
  { href: "/matching", name: "Matching", icon: "matching", needs: "viewer" },
  { href: "/files", name: "Files", icon: "files", needs: "viewer" },
  { href: "/records", name: "Records", icon: "records", needs: "viewer" },
  { href: "/deliveries", name: "Deliveries", icon: "deliveries", needs: "viewer", badge: "deliveries" },
  { href: "/audit", name: "Audit", icon: "audit", needs: "viewer" },
  { href: "/throughput", name: "Throughput", icon: "plots", needs: "viewer" },
  { href: "/trace", name: "Trace", icon: "trace", needs: "viewer" },
  { href: "/scripts", name: "Scripts", icon: "scripts", needs: "viewer" },
  { href: "/tariffs", name: "Tariffs", icon: "rating", needs: "viewer" },
  { href: "/replay", name: "Replay", icon: "replay", needs: "viewer" },
  { href: "/trail", name: "Trail", icon: "trail", needs: "viewer" },
  { href: "/reference", name: "API", icon: "reference", needs: "viewer" },
  { href: "/people", name: "People", icon: "people", needs: "administrator" },
];
