import { KEY_ENDED } from "../../ground/engine/batch.ts";
import { NeedsMoreLocks } from "../../ground/engine/steps.ts";
import { withoutSecrets } from "../../ground/lib/mask-secrets.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { isConflict, isLockTimeout, PoolBusy } from "../../ground/pg/faults.ts";
import type { ListSource } from "../../ground/pg/reads.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { NO_DATES } from "../http/api-date.ts";
import { isInForce } from "../http/caller.ts";
import { statusOf, type UseCaseError } from "../http/errors.ts";
import { etagOf, matches } from "../http/etag.ts";
import { type AnyReply, type AnyRequest, type Gate, mount } from "../http/mount.ts";
import type { Handler, Operation, ParsedOf, Reply, Request } from "../http/operation.ts";
import { isRecorded, masked, withFiles } from "./audit.ts";
import { type AuditEntry, appendAudit, lockAudit, wasEndedRecorded } from "./audit-sql.ts";
import { CHANGED_EXAMPLE, FRESH_SIGN_IN_EXAMPLE, RETRY_EXAMPLE } from "./headers.ts";
import { actorOf, type Operator } from "./operator.ts";
import { type Claim, digestOfRequest, findFirst, findKept, keepFirst } from "./replay.ts";
import type { Sealer } from "./sealer.ts";

export interface WriteDeps {
	readonly db: Database;
	readonly sealer: Sealer;
}

/** The same for a room that also has lists. */
export interface ReadWriteDeps extends WriteDeps {
	/** For short reads. */
	readonly readDb: Database;
	/** For lists, which a replica may answer. */
	readonly listDb: ListSource;
}

/** The reply of a write, and what the audit log records of it. */
type Done<Op extends Operation> = Reply<Op> & {
	/** The name of the object that was written. */
	readonly about: string;
	/** False: nothing changed, because the object was already in the requested state, and the audit log gets no row. */
	readonly changed?: boolean;
};

/**
 * A write, inside the transaction that also writes its row of the audit log. A refusal rolls everything back. `more`:
 * the rows that an earlier attempt lacked, for the engine. `asked`: the value that `ask` returned.
 */
export type Write<Op extends Operation> = (
	tx: Query,
	request: Request<Op, Operator>,
	more: unknown,
	asked: unknown,
) => Promise<Done<Op> | Refusal<Op["errors"][number] | UseCaseError>>;

export interface WriteOptions<Op extends Operation> {
	/**
	 * Reads the object as its GET answers it, without the members that its ETag ignores, for an operation with
	 * EDIT_HEADERS: `If-Match` must be the ETag of that data.
	 */
	readonly read?: (tx: Query, params: ParsedOf<Op, "params">, caller: Operator) => Promise<unknown>;
	/**
	 * Locks what long work may keep locked, before the `read` for `If-Match`. The read keeps the audit log locked, and
	 * other writes wait for that while they keep rows locked that partners need.
	 */
	readonly lockFirst?: (tx: Query) => Promise<unknown>;
	/**
	 * For an operation that may refuse `fresh_sign_in_needed`: whether this request requires a fresh sign-in; absent:
	 * every request does.
	 */
	readonly asksFresh?: (request: Request<Op, Operator>) => boolean;
	/**
	 * Asks another system for consent, or stores files, before the transaction begins, because that may take long.
	 * Its result, unless it is a refusal, is the last argument of the write.
	 */
	readonly ask?: (
		request: Request<Op, Operator>,
	) => Promise<Refusal<Op["errors"][number] | UseCaseError> | object | undefined>;
}

/**
 * Mounts a write of the operator's API. The write, its audit row and, under an Idempotency-Key, the reply for a
 * repeat are one transaction: after a crash, either all of them exist or none. A refusal is recorded in a transaction
 * of its own. A request with `dry_run: true` is carried out, answered and rolled back, without an audit row. (The
 * type parameter `W` keeps `status: 201` from widening to `number`, as in `mount`.)
 */
export function mountWrite<Op extends Operation, W extends Write<Op>>(
	gate: Gate<Operator>,
	deps: WriteDeps,
	operation: Op,
	write: W,
	options: WriteOptions<Op> = {},
): void {
	const verbs = { ...options, write } as unknown as Verbs;
	const handle = (request: AnyRequest) => carryOutWrite(deps, operation, request, verbs);
	mount(gate, operation, handle as unknown as Handler<Op, Operator>);
}

type AnyRead = (tx: Query, params: unknown, caller: Operator) => Promise<unknown>;

/** A write and its options, without an operation's own types. */
interface Verbs {
	readonly write: (
		tx: Query,
		request: AnyRequest,
		more: unknown,
		asked: unknown,
	) => Promise<(AnyReply & { readonly about: string; readonly changed?: boolean }) | Refusal>;
	readonly read?: AnyRead | undefined;
	readonly lockFirst?: ((tx: Query) => Promise<unknown>) | undefined;
	readonly asksFresh?: ((request: AnyRequest) => boolean) | undefined;
	readonly ask?: ((request: AnyRequest) => Promise<Refusal | object | undefined>) | undefined;
}

/** Carries out a write in the way `mountWrite` does, for operations that are mounted differently. */
export async function carryOutWrite(
	{ db, sealer }: WriteDeps,
	operation: Operation,
	request: AnyRequest,
	{ write, read, lockFirst, asksFresh = () => true, ask }: Verbs,
): Promise<AnyReply | Refusal> {
	const isDryRun = (request.body as { readonly dry_run?: boolean } | undefined)?.dry_run === true;
	const claim = isDryRun ? null : claimOf(operation, request);
	const stale = isDryRun || !mayAskFresh(operation) || !asksFresh(request) ? null : refuseStale(operatorOf(request));
	if (stale !== null) {
		await recordRefusal(db, entryOf(operation, request, { about: null, ...codeOf(stale, operation) }));
		return stale;
	}
	const attempt = (more: unknown, asked: unknown) =>
		transaction(db, async (tx) => {
			const first = claim === null ? null : await findFirst(tx, sealer, claim);
			if (isRefusal(first)) throw new Refused(first);
			if (first !== null) return first;
			const changedMeanwhile = read === undefined ? null : await findChange(tx, request, read, lockFirst);
			if (changedMeanwhile !== null) throw new Refused(changedMeanwhile);
			const done = await write(tx, request, more, asked);
			// it may have waited for a name server, a connection or a lock; a revocation takes effect within a second
			const isStanding = request.standing === null || (await isInForce(request.standing));
			if (!isStanding) throw new Refused(KEY_ENDED);
			if (isRefusal(done)) throw new Refused(done);
			const { about, changed = true, ...reply } = done;
			if (isDryRun) throw new DryRun(asDryRun(reply));
			if (claim !== null) await keepFirst(tx, sealer, claim, reply);
			if (changed) await appendAudit(tx, entryOf(operation, request, { about, status: reply.status, code: null }));
			return reply;
		});
	try {
		if (ask === undefined) return await attemptAgain((more) => attempt(more, undefined));
		const kept = claim === null ? null : await findKept(db, sealer, claim); // a repeat does not call `ask`
		if (isRefusal(kept)) throw new Refused(kept);
		if (kept !== null) return kept;
		// nor does a request that If-Match refuses: another system would keep what it agreed to
		const refused = read === undefined ? null : await transaction(db, (tx) => findChange(tx, request, read, lockFirst));
		if (refused !== null) throw new Refused(refused);
		const asked = await ask(request);
		if (isRefusal(asked)) throw new Refused(asked);
		return await attemptAgain((more) => attempt(more, asked));
	} catch (error) {
		if (error instanceof DryRun) return error.reply;
		const refusal = refusalOf(error);
		if (refusal === null) throw error;
		if (isDryRun || error instanceof PoolBusy) return refusal; // a record would wait for a connection again
		await recordRefusal(db, entryOf(operation, request, { about: null, ...codeOf(refusal, operation) }));
		return refusal;
	}
}

/**
 * Maximum attempts of one write: an attempt fails if it needs more rows than it locked, or if another transaction is in
 * the way.
 */
const MAX_ATTEMPTS = 8;

async function attemptAgain<T>(attempt: (more: unknown) => Promise<T>): Promise<T> {
	let more: unknown;
	for (let attempts = 1; ; attempts++) {
		try {
			return await attempt(more);
		} catch (error) {
			const isAgain = error instanceof NeedsMoreLocks || (isConflict(error) && !isLockTimeout(error));
			if (!isAgain || attempts === MAX_ATTEMPTS) throw error;
			if (error instanceof NeedsMoreLocks) more = error.more;
		}
	}
}

/** Rolls the transaction back and carries the refusal out of it. */
class Refused extends Error {
	readonly refusal: Refusal;
	constructor(refusal: Refusal) {
		super(refusal.message);
		this.refusal = refusal;
	}
}

/** Rolls the transaction of a dry run back and carries its reply out of it. */
class DryRun extends Error {
	readonly reply: AnyReply;
	constructor(reply: AnyReply) {
		super("dry run");
		this.reply = reply;
	}
}

const asDryRun = (reply: AnyReply): AnyReply =>
	reply.content === undefined ? { ...reply, data: { ...(reply.data as object), dry_run: true } } : reply;

/**
 * The refusal if the object has changed since the caller read it, otherwise null. No other operator's write commits
 * between this read and the end of the transaction.
 */
export async function findChange(
	tx: Query,
	{ headers, params, caller }: AnyRequest,
	read: AnyRead,
	lockFirst?: Verbs["lockFirst"],
): Promise<Refusal | null> {
	const ifMatch = (headers as { readonly [name: string]: string | undefined } | undefined)?.["If-Match"];
	if (ifMatch === undefined) return null;
	await lockFirst?.(tx);
	await lockAudit(tx);
	const operator = operatorOf({ caller });
	const data = await read(tx, params, operator);
	if (isRefusal(data)) return data;
	// the ETag that a read by this operator has for `data` (operator contract, section 3)
	const etag = etagOf(JSON.stringify({ data }), undefined, actorOf(operator), NO_DATES.current.date);
	return matches(ifMatch, etag) ? null : refuse("changed_meanwhile", CHANGED_EXAMPLE);
}

function refusalOf(error: unknown): Refusal | null {
	if (error instanceof Refused) return error.refusal;
	if (!isConflict(error) && !(error instanceof NeedsMoreLocks) && !(error instanceof PoolBusy)) return null;
	return refuse("retry", RETRY_EXAMPLE);
}

const mayAskFresh = ({ errors }: Operation): boolean => errors.includes("fresh_sign_in_needed");

/** The refusal of a write that asks for a fresh sign-in, if the caller is a person who signed in earlier. */
export function refuseStale({ session }: Operator): Refusal<"fresh_sign_in_needed"> | null {
	if (session === undefined || session.isFresh) return null;
	return refuse("fresh_sign_in_needed", FRESH_SIGN_IN_EXAMPLE);
}

const operatorOf = ({ caller }: Pick<AnyRequest, "caller">): Operator => caller as unknown as Operator;

const codeOf = ({ refusal: code }: Refusal, { statuses }: Operation) => ({ code, status: statusOf(code, statuses) });

/** Records a refused write if its code belongs in the audit log. */
export async function recordRefusal(db: Database, entry: AuditEntry): Promise<void> {
	if (entry.code !== null && isRecorded(entry.code)) await transaction(db, (tx) => appendAudit(tx, entry));
}

/**
 * Records a write that was refused because its token has ended: at most once a minute for each token, so that a
 * script that keeps using it cannot fill the log.
 */
export const recordEnded = (db: Database, entry: AuditEntry): Promise<void> =>
	transaction(db, async (tx) => {
		await lockAudit(tx);
		if (!(await wasEndedRecorded(tx, entry))) await appendAudit(tx, entry);
	});

/** What a write was asked to do besides its path: its body with its files, or the query of a write without a body. */
function askedIn({ body, query, files }: Pick<AnyRequest, "body" | "query" | "files">): unknown {
	const isOfQuery = body === undefined && Object.keys(query ?? {}).length > 0;
	return isOfQuery ? query : withFiles(body, files);
}

function claimOf({ id }: Operation, request: AnyRequest): Claim | null {
	const { headers, params } = request;
	const key = (headers as { readonly [name: string]: string | undefined } | undefined)?.["Idempotency-Key"];
	if (key === undefined) return null;
	return { actor: actorOf(operatorOf(request)), key, digest: digestOfRequest(id, params, askedIn(request)) };
}

const entryOf = (
	{ id }: Operation,
	request: Omit<AnyRequest, "standing" | "headers" | "from">,
	{ about, status, code }: Pick<AuditEntry, "about" | "status" | "code">,
): AuditEntry =>
	auditEntry(operatorOf(request), {
		operation: id,
		about: about ?? namedIn(request.params as { readonly [name: string]: string } | undefined),
		body: masked(askedIn(request)) ?? null,
		status,
		code,
		request_id: request.requestId,
	});

/** Appends a row in the transaction of a write that `mountWrite` does not carry out. */
export const recordWrite = (tx: Query, entry: AuditEntry): Promise<unknown> => appendAudit(tx, entry);

/** What a request is about according to its path; null: the path names nothing. */
export const namedIn = (params: { readonly [name: string]: string } = {}): string | null =>
	Object.values(params)[0] ?? null;

/** A row of the audit log about what an operator did. A path may name a key by its whole token: `about` is masked. */
export const auditEntry = (
	operator: Operator,
	{ about, ...what }: Omit<AuditEntry, "actor" | "via" | "credential" | "address">,
): AuditEntry => ({
	actor: actorOf(operator),
	via: operator.via,
	credential: operator.credential,
	address: operator.address,
	about: about === null ? null : withoutSecrets(about),
	...what,
});
