import type { IncomingMessage } from "node:http";
import { createBatcher } from "../../ground/lib/batcher.ts";
import type { Log } from "../../ground/lib/log.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { throttled } from "../../ground/lib/throttled.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { patiently } from "../../ground/pg/patience.ts";
import type { Operator } from "../admin/operator.ts";
import type { Standing, Unauthenticated } from "../http/caller.ts";
import { createFreshReader, type FreshRead, standingOf } from "../operators/fresh-reader.ts";
import { secretIn } from "./cookie.ts";
import { SEEN_EVERY_MS } from "./limits.ts";
import { digestOfSecret } from "./one-time.ts";
import { freshUntil, isLive, type LiveSession } from "./session.ts";
import { type PastSession, selectLiveSessions, selectPastSessions, touchSession } from "./session-sql.ts";

/** Finds the person whose session a cookie names; null: the request has no such cookie. */
export type AuthenticateSession = (
	request: Pick<IncomingMessage, "headers" | "method">,
	from: () => string,
) => Promise<Standing<Operator> | Unauthenticated<Operator>> | null;

/**
 * The header of reads that a page makes by itself while no person acts there, such as those after an event of the live
 * stream. They do not prolong a session. A page may be believed, because a false mark can only shorten a session.
 */
const UNATTENDED = "x-unattended";
/** The value of Accept when a browser opens, or by itself reopens, the live stream. */
const EVENT_STREAM = "text/event-stream";

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
	const findPast = createFindPast(readDb);
	const find = async (
		secretDigest: Buffer,
		address: string,
		{ isWrite, isByPerson }: { readonly isWrite: boolean; readonly isByPerson: boolean },
	): Promise<Standing<Operator> | Unauthenticated<Operator>> => {
		const digest = hexOf(secretDigest);
		const known = await reader.read();
		// a session that began, or a required factor that was added, a moment ago, here or on another node
		const isKnown = known.rows.get(digest)?.hasFactor ?? false;
		const isCurrent = isSecondFactorRequired ? isKnown : known.rows.has(digest);
		const read = isCurrent ? known : await reader.readAnew();
		const session = read.rows.get(digest);
		// nobody guesses 256 bits: this was a session once, and a page that still polls must not throttle its address
		if (session === undefined || !isLive(session, read.nowMs())) {
			const past = session ?? (isWrite ? await findPast(secretDigest) : null);
			return past === null ? { why: "ended" } : { why: "ended", owner: ownerOf(past, address) };
		}
		if (isByPerson) noteUse(session, read.nowMs());
		const { role, personId, hasFactor } = session;
		const isFresh = freshUntil(session) > read.nowMs();
		const caller = { ...ownerOf(session, address), session: { personId, isFresh, hasFactor } };
		const judge = (later: FreshRead<LiveSession>): boolean => {
			const now = later.rows.get(digest);
			return now !== undefined && now.role === role && isLive(now, later.nowMs());
		};
		return standingOf(reader, caller, judge);
	};
	return ({ headers, method }, from) => {
		const secret = secretIn(headers.cookie, secure);
		if (secret === null) return null;
		const isWrite = method !== "GET" && method !== "HEAD";
		const isByPerson = isWrite || (headers[UNATTENDED] === undefined && headers.accept !== EVENT_STREAM);
		return find(digestOfSecret(secret), from(), { isWrite, isByPerson });
	};
}

/** The person of a session; of an ended one that was sent with a write, so that the audit log can name them. */
const ownerOf = ({ name, role, sessionId }: PastSession, address: string): Operator => ({
	name,
	role,
	via: "session",
	credential: sessionId,
	address,
});

/**
 * Finds the ended session of a digest that no session in force has; null: there was none. Cookies that somebody made up
 * cost one statement at a time, however many requests bring one.
 */
function createFindPast(db: Query): (digest: Buffer) => Promise<PastSession | null> {
	const batcher = createBatcher<Buffer, PastSession | typeof NEVER>(
		{ maxWeight: MAX_TOGETHER, maxShare: MAX_TOGETHER, inFlight: 1 },
		async (digests) => (await patiently(() => selectPastSessions(db, digests))).map((past) => past ?? NEVER),
	);
	return async (digest) => {
		const past = await batcher.submit(digest);
		return past === NEVER || isRefusal(past) ? null : past;
	};
}

const NEVER = "never" as const;
/** Maximum number of ended sessions that are looked up together. */
const MAX_TOGETHER = 64;
