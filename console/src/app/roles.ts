import type { DataOf } from "../api/call.ts";

export type Me = DataOf<"get_me">;
export type Role = Me["role"];

/** The roles, the lowest first. The service decides; the console only leaves out what it would refuse. */
const ROLES: readonly Role[] = ["viewer", "warehouse", "operator", "admin"];

export const hasRole = ({ role }: Me, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);
