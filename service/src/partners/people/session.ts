import type { Role } from "../../glossary.ts";
import { ADMIN_IDLE_MINUTES, FRESH_MINUTES, IDLE_MINUTES, SESSION_HOURS } from "./limits.ts";
import type { PersonState, SessionRow } from "./person.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A session with what its person may do. */
export interface LiveSession extends SessionRow {
	readonly digest: Buffer;
	readonly name: string;
	readonly role: Role;
	readonly state: PersonState;
	/** Whether the person has a second factor, or has signed in at a provider. */
	readonly hasFactor: boolean;
}

/** When a session ends unless it is used again, and at the latest, in epoch milliseconds. */
export function endsAt({ createdAt, seenAt }: Pick<SessionRow, "createdAt" | "seenAt">, role: Role): number {
	const idleMinutes = role === "admin" ? ADMIN_IDLE_MINUTES : IDLE_MINUTES;
	return Math.min(seenAt + idleMinutes * MINUTE_MS, createdAt + SESSION_HOURS * HOUR_MS);
}

/** Until when the sign-in counts as fresh, in epoch milliseconds. */
export const freshUntil = ({ createdAt }: Pick<SessionRow, "createdAt">): number =>
	createdAt + FRESH_MINUTES * MINUTE_MS;

/** Whether the session is accepted at this time (epoch milliseconds). */
export const isLive = (session: LiveSession, nowMs: number): boolean =>
	session.endedAt === null && session.state === "active" && endsAt(session, session.role) > nowMs;
