import type { IncomingMessage } from "node:http";
import type { Log } from "../../ground/lib/log.ts";
import { throttled } from "../../ground/lib/throttled.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Operator } from "../admin/operator.ts";
import type { Standing, Unauthenticated } from "../http/caller.ts";
import { createFreshReader, type FreshRead, standingOf } from "../operators/fresh-reader.ts";
import { secretIn } from "./cookie.ts";
import { SEEN_EVERY_MS } from "./limits.ts";
import { digestOfSecret } from "./one-time.ts";
import { freshUntil, isLive, type LiveSession } from "./session.ts";
import { selectLiveSessions, touchSession } from "./session-sql.ts";

/** Finds the person whose session a cookie names; null: the request has no such cookie. */
export type AuthenticateSession = (
	request: Pick<IncomingMessage, "headers">,
	from: () => string,
) => Promise<Standing<Operator> | Unauthenticated<Operator>> | null;

/** How sessions are recognised and judged. */
interface SessionRules {
	/** The operator's address begins with https. */
	readonly secure: boolean;
	/** Every person must have a second factor. */
	readonly isSecondFactorRequired: boolean;
}

/** Authenticates people by the cookies of their sessions. */
export function createAuthenticateSession(
	{ readDb, db, log }: { readonly readDb: Query; readonly db: Query; readonly log: Log },
	{ secure, isSecondFactorRequired }: SessionRules,
): AuthenticateSession {
	const hexOf = (digest: Buffer): string => digest.toString("hex");
	const reader = createFreshReader(
		() => selectLiveSessions(readDb),
		({ digest }) => hexOf(digest),
	);
	const failed = throttled((error, count) => {
		log.warn("the use of a session could not be recorded", { reason: String(error), count });
	});
	const recording = new Set<string>();
	const noteUse = ({ sessionId, seenAt }: LiveSession, nowMs: number): void => {
		if (nowMs - seenAt < SEEN_EVERY_MS || recording.has(sessionId)) return;
		recording.add(sessionId);
		void touchSession(db, sessionId)
			.catch(failed)
			.finally(() => recording.delete(sessionId));
	};
	const find = async (digest: string, address: string): Promise<Standing<Operator> | Unauthenticated<Operator>> => {
		const known = await reader.read();
		// a session that began, or a required factor that was added, a moment ago, here or on another node
		const isKnown = known.rows.get(digest)?.hasFactor ?? false;
		const isCurrent = isSecondFactorRequired ? isKnown : known.rows.has(digest);
		const read = isCurrent ? known : await reader.readAnew();
		const session = read.rows.get(digest);
		// nobody guesses 256 bits: this was a session once, and a page that still polls must not throttle its address
		if (session === undefined || !isLive(session, read.nowMs())) return { why: "ended" };
		noteUse(session, read.nowMs());
		const { name, role, sessionId, personId, hasFactor } = session;
		const isFresh = freshUntil(session) > read.nowMs();
		const caller: Operator = {
			name,
			role,
			via: "session",
			credential: sessionId,
			address,
			session: { personId, isFresh, hasFactor },
		};
		const judge = (later: FreshRead<LiveSession>): boolean => {
			const now = later.rows.get(digest);
			return now !== undefined && now.role === role && isLive(now, later.nowMs());
		};
		return standingOf(reader, caller, judge);
	};
	return ({ headers }, from) => {
		const secret = secretIn(headers.cookie, secure);
		return secret === null ? null : find(hexOf(digestOfSecret(secret)), from());
	};
}
