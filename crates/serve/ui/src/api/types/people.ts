/** Sessions, users and tokens. */

export type Role = "viewer" | "operator" | "administrator";

export interface Session {
  name: string;
  role: Role;
  csrf: string;
  /** The latest time at which the session ends. */
  until: string | null;
  /** The name of the flow. */
  flow?: string;
}

/** The person for whom a link is. */
export interface Invited {
  /** Null for the first administrator, who has no name yet. */
  name: string | null;
}

export interface Person {
  name: string;
  role: Role;
  since: string;
  last_login: string | null;
  invited: boolean;
  /** The number of open sessions. */
  sessions: number;
}

export interface Token {
  id: number;
  name: string;
  role: Role;
  since: string;
  last_used: string | null;
  /** The time at which it expires. */
  until: string;
  expired: boolean;
}
