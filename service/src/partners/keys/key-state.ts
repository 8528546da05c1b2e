import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { KeyRow } from "./sql.ts";

export type KeyState = "live" | "suspended" | "expired" | "revoked";

type Facts = Pick<KeyRow, "pk" | "suspended" | "expiresAt" | "revokeAt" | "secrets">;

/**
 * The state of a key at an instant, in epoch milliseconds by the database clock. A key revoked immediately stays
 * revoked even if the clock is set back: its secrets ended at the epoch. A key to be revoked later still has a working
 * secret, so this check does not apply to it.
 */
export function keyStateAt(key: Facts, nowMs: number): KeyState {
	const isPast = (end: number | null): boolean => end !== null && end <= nowMs;
	if (isPast(key.revokeAt)) return "revoked";
	if (key.revokeAt !== null && key.secrets.every(({ expiresAt }) => isPast(expiresAt))) return "revoked";
	if (isPast(key.expiresAt)) return "expired";
	return key.suspended ? "suspended" : "live";
}

/** The refusal for operations on a key that has ended; null if it has not (settlements, section 12). */
export function refuseEnded(key: Facts, nowMs: number): Refusal<"wrong_state"> | null {
	const state = keyStateAt(key, nowMs);
	if (state !== "revoked" && state !== "expired") return null;
	return refuse(
		"wrong_state",
		`Key ${key.pk} is ${state}, which cannot be undone. Nothing was changed: mint another key.`,
	);
}
