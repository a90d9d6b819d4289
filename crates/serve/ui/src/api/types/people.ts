/** Who is logged in, and who may be. */

export type Role = "viewer" | "operator" | "administrator";

export interface Session {
  name: string;
  role: Role;
  csrf: string;
  /** When the session is over at the latest. */
  until: string | null;
  /** The name of the flow. */
  flow?: string;
}

/** Who a link is for. */
export interface Invited {
  /** None where it is the first administrator's, who has no name yet. */
  name: string | null;
}

export interface Person {
  name: string;
  role: Role;
  since: string;
  last_login: string | null;
  invited: boolean;
  /** Open sessions. */
  sessions: number;
}

export interface Token {
  id: number;
  name: string;
  role: Role;
  since: string;
  last_used: string | null;
  /** When it expires. */
  until: string;
  expired: boolean;
}
