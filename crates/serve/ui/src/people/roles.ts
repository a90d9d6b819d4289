/** The roles, the lowest first, and what each may do. */
import type { Role } from "../api/types";

export const ROLES: [Role, string][] = [
  ["viewer", "looks, and changes nothing"],
  ["operator", "changes flows and scripts, works on suspense, alarms, cases and deliveries"],
  ["administrator", "does all that, and says who may do what"],
];
