/** The logged-in user and role, for components that depend on them. */
import { createContext, useContext } from "react";

import type { Role, Session } from "../api/types";

export interface Held {
  session: Session;
  leave: () => void;
}

export const SessionContext = createContext<Held | null>(null);

export function useSession(): Held {
  const held = useContext(SessionContext);
  if (held === null) throw new Error("no page is shown without a session");
  return held;
}

const RANK: Record<Role, number> = { viewer: 0, operator: 1, administrator: 2 };

export const mayAs = (role: Role, needed: Role) => RANK[role] >= RANK[needed];

export const useMay = (needed: Role) => mayAs(useSession().session.role, needed);
