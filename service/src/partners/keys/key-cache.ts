import { monotonicMs } from "../../ground/lib/clock.ts";
import { PrimaryMissing } from "../../ground/lib/no-primary.ts";
import { NO_STAMP, type Stamped } from "../../ground/lib/stamped.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { ConnectionLost, showsNoServer } from "../../ground/pg/faults.ts";
import { createPrimary, type Primary } from "../../ground/pg/primary.ts";
import { createVersionedCache } from "../../ground/pg/versioned-cache.ts";
import type { Caller } from "../http/caller.ts";
import { callerOf } from "./caller-of.ts";
import { type KeyRow, keysChangedSince } from "./sql.ts";

/** Milliseconds for which a read is valid, counted from its START: a revocation must take effect within one second. */
export const FRESH_FOR_MS = 900;
/** Milliseconds within which a read must succeed, including the wait for a connection. */
const LOOK_TIMEOUT_MS = 1_500;

export interface StoredSecret {
	readonly digest: Buffer;
	readonly pepperId: string;
	readonly expiresAt: number | null;
}

/** A key in memory, with the facts that decide whether it is in force. Instants: database clock, epoch ms. */
export interface CachedKey {
	readonly caller: Caller;
	readonly name: string;
	readonly suspended: boolean;
	readonly issuedAt: number;
	readonly expiresAt: number | null;
	readonly revokeAt: number | null;
	/** Until then it is refused for a drill of its go-live. */
	readonly drillUntil: number | null;
	/** Until then the sandbox is unkind to it, for its go-live. */
	readonly unkindUntil: number | null;
	readonly secrets: readonly StoredSecret[];
}

/**
 * All keys, in memory. Each change of a key takes the next `key_epoch.version`, so a small statement reads the changes
 * four times a second (keys/tasks.ts), without depending on notifications. If the database no longer has the last
 * change that was read (it was restored, or a failover lost it), all keys are read again, and those that no longer
 * exist are dropped.
 */
export interface KeyCache {
	/** The key with this public half, as of the last read. */
	find(pk: string): CachedKey | undefined;
	/** Whether a read that began within FRESH_FOR_MS has succeeded. */
	fresh(): boolean;
	/**
	 * Resolves after a read that begins after this call; rejects if the database cannot be reached, at once with
	 * PrimaryMissing while no primary is known and the last read failed.
	 */
	refresh(): Promise<void>;
	/** Resolves after the read in progress, or after a new one; rejects if the database cannot be reached. */
	keepFresh(): Promise<void>;
	/** The database's time in epoch milliseconds, or slightly later: an expiry takes effect on time or early. */
	databaseNow(): number;
}

export interface KeyCacheOptions {
	/** Monotonic milliseconds. */
	readonly now?: () => number;
	/** Is told what each read shows about the primary. */
	readonly primary?: Primary;
	/** Default cap on units in a key's active holds; null: none. */
	readonly maxHeldUnits?: number | null;
}

/** The cache over `db`, which should be a small separate pool, so that a read never queues behind other work. */
export function createKeyCache(
	db: Database,
	{ now = monotonicMs, primary = createPrimary({ now }), maxHeldUnits = null }: KeyCacheOptions = {},
): KeyCache {
	const cache = createVersionedCache(NOTHING_READ, (tx, seen: KeysRead) => readKeys(tx, seen, maxHeldUnits));
	let begunAt = Number.NEGATIVE_INFINITY;
	let databaseAhead = 0; // database epoch milliseconds minus monotonic milliseconds
	let readable = true; // whether the last read succeeded
	let running: Promise<void> | null = null;
	let next: Promise<void> | null = null;

	const look = async (): Promise<void> => {
		const sentAt = now();
		const { nowMs, takesWrites } = await askOnce(db, (client) => cache.read(client)).catch((error: unknown) => {
			readable = false;
			primary.noteLook(sentAt, !showsNoServer(error));
			throw error;
		});
		readable = true;
		primary.noteLook(sentAt, takesWrites);
		begunAt = sentAt;
		// the database read its clock after we sent the query, so the estimate can only be ahead of it
		databaseAhead = nowMs - sentAt;
	};
	const run = (): Promise<void> => {
		const look_ = look().finally(() => {
			if (running === look_) running = null;
		});
		running = look_;
		return look_;
	};
	/** One new read, shared by all callers that arrive before it begins. */
	const refresh = (): Promise<void> => {
		if (primary.isMissing() && !readable) return Promise.reject(new PrimaryMissing());
		if (running === null) return run();
		next ??= running
			.catch(() => undefined)
			.then(() => {
				next = null;
				return run();
			});
		return next;
	};
	return {
		find: (pk) => cache.guess().keys.get(pk),
		fresh: () => now() - begunAt <= FRESH_FOR_MS,
		refresh,
		keepFresh: () => running ?? run(),
		databaseNow: () => now() + databaseAhead,
	};
}

/** All keys by their public halves, as of one read. Immutable. */
interface KeysRead extends Stamped {
	readonly version: number;
	readonly keys: ReadonlyMap<string, CachedKey>;
	/** The database's time of the read, in epoch milliseconds. */
	readonly nowMs: number;
	/** Whether the server of the read takes writes. */
	readonly takesWrites: boolean;
}

/** Before the first read. */
const NOTHING_READ: KeysRead = { version: -1, stamp: NO_STAMP, keys: new Map(), nowMs: 0, takesWrites: true };

/** The keys that changed since `seen`, if `seen` belongs to the epoch's history; otherwise all of them. */
async function readKeys(tx: Query, seen: KeysRead, maxHeldUnits: number | null): Promise<KeysRead> {
	const { version, stamp, nowMs, takesWrites, whole, keys: changed } = await keysChangedSince(tx, seen);
	if (!whole && changed.length === 0) return { version, stamp, nowMs, takesWrites, keys: seen.keys };
	const keys = new Map(whole ? [] : seen.keys);
	for (const row of changed) keys.set(row.pk, toCachedKey(row, maxHeldUnits));
	return { version, stamp, nowMs, takesWrites, keys };
}

function toCachedKey(row: KeyRow, maxHeldUnits: number | null): CachedKey {
	return {
		caller: { ...callerOf(row), maxHeldUnits: row.maxHeldUnits ?? maxHeldUnits },
		name: row.name,
		suspended: row.suspended,
		issuedAt: row.createdAt,
		expiresAt: row.expiresAt,
		revokeAt: row.revokeAt,
		drillUntil: row.drillUntil,
		unkindUntil: row.unkindUntil,
		secrets: row.secrets.map(({ digest, pepperId, expiresAt }) => ({
			digest: ofItsOwn(digest),
			pepperId,
			expiresAt,
		})),
	};
}

/** Memory of its own: `Buffer.from` takes 32 bytes out of 64 KiB, all of which would be kept as long as the key is. */
function ofItsOwn(hex: string): Buffer {
	const bytes = Buffer.alloc(hex.length / 2);
	bytes.write(hex, "hex");
	return bytes;
}

/**
 * One read within LOOK_TIMEOUT_MS. A connection that fails or hangs is dropped, and so is one to a server that takes no
 * writes: the next read takes another, which may lead to another server.
 */
async function askOnce(db: Database, read: (client: Query) => Promise<KeysRead>): Promise<KeysRead> {
	const connecting = db.take();
	let client: Awaited<typeof connecting> | undefined;
	let timer: NodeJS.Timeout | undefined;
	let isKept = false;
	try {
		const late = new Promise<never>((_resolve, reject) => {
			timer = setTimeout(() => reject(new LookTimedOut()), LOOK_TIMEOUT_MS);
		});
		client = await Promise.race([connecting, late]);
		const value = await Promise.race([read(client as unknown as Query), late]);
		isKept = value.takesWrites;
		return value;
	} finally {
		clearTimeout(timer);
		if (client) client.release(!isKept);
		// a connection that arrives late is kept for the next read
		else connecting.then((latecomer) => latecomer.release()).catch(() => undefined);
	}
}

class LookTimedOut extends ConnectionLost {
	constructor() {
		super(`the database did not answer within ${LOOK_TIMEOUT_MS} ms`);
	}
}
