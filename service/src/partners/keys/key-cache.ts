import { monotonicMs } from "../../ground/lib/clock.ts";
import { NO_STAMP, type Stamped } from "../../ground/lib/stamped.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { ConnectionLost } from "../../ground/pg/faults.ts";
import { createVersionedCache } from "../../ground/pg/versioned-cache.ts";
import type { Caller } from "../http/caller.ts";
import { type KeyRow, keysChangedSince } from "./sql.ts";

/** A look older than this (milliseconds since it BEGAN) vouches for nobody: revocation must hold within one second. */
export const FRESH_FOR_MS = 900;
/** Milliseconds a look may take before it counts as failed, the wait for a connection included. */
const LOOK_TIMEOUT_MS = 1_500;

/** A secret of a key, as compared. */
export interface StoredSecret {
	readonly digest: Buffer;
	readonly pepperId: string;
	readonly expiresAt: number | null;
}

/**
 * A key in memory: who it is, and what decides whether it may come in. Instants are epoch milliseconds by the database
 * clock.
 */
export interface CachedKey {
	readonly caller: Caller;
	readonly name: string;
	readonly suspended: boolean;
	readonly issuedAt: number;
	readonly expiresAt: number | null;
	readonly revokeAt: number | null;
	readonly secrets: readonly StoredSecret[];
}

/**
 * Every key, in memory. Each change of a key takes the next `key_epoch.version`, so one small statement brings the
 * changes, four times a second (keys/tasks.ts); nothing depends on a notification arriving. When the database no longer
 * knows the change that was seen last (it was restored, or a failover lost it), every key is read again, and those that
 * do not exist any more are forgotten.
 */
export interface KeyCache {
	/** The key with this public half, as of the last look. */
	find(pk: string): CachedKey | undefined;
	/** Has a look that began within FRESH_FOR_MS succeeded? */
	fresh(): boolean;
	/** Resolves after a look that begins after this call; rejects when the database cannot be reached. */
	refresh(): Promise<void>;
	/**
	 * Resolves after the look that is under way, or after one that begins now; rejects when the database cannot be
	 * reached.
	 */
	keepFresh(): Promise<void>;
	/** The database's time in epoch milliseconds, never behind it: an expiry is seen on time or a moment early. */
	databaseNow(): number;
}

export interface KeyCacheOptions {
	/** Monotonic milliseconds. */
	readonly now?: () => number;
	/** Cap on units in active holds of a key that has none of its own; null: none. */
	readonly maxHeldUnits?: number | null;
}

/**
 * The cache over `db`, which should be a small pool of its own, so that a look never waits behind the work of the
 * service.
 */
export function createKeyCache(
	db: Database,
	{ now = monotonicMs, maxHeldUnits = null }: KeyCacheOptions = {},
): KeyCache {
	const cache = createVersionedCache(NOTHING_READ, (tx, seen: KeysRead) => readKeys(tx, seen, maxHeldUnits));
	let begunAt = Number.NEGATIVE_INFINITY;
	let databaseAhead = 0; // database epoch milliseconds minus monotonic milliseconds
	let running: Promise<void> | null = null;
	let next: Promise<void> | null = null;

	const look = async (): Promise<void> => {
		const sentAt = now();
		const { nowMs } = await askOnce(db, (client) => cache.read(client));
		begunAt = sentAt;
		// the database read its clock after we sent: counting from the sending can only run ahead of it
		databaseAhead = nowMs - sentAt;
	};
	const run = (): Promise<void> => {
		const look_ = look().finally(() => {
			if (running === look_) running = null;
		});
		running = look_;
		return look_;
	};
	/** One look that begins from now on, shared by everyone who asks before it begins. */
	const refresh = (): Promise<void> => {
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

/** All keys by their public halves, as of one reading. Immutable. */
interface KeysRead extends Stamped {
	readonly version: number;
	readonly keys: ReadonlyMap<string, CachedKey>;
	/** The database's time of the reading, in epoch milliseconds. */
	readonly nowMs: number;
}

/** As long as nobody has asked. */
const NOTHING_READ: KeysRead = { version: -1, stamp: NO_STAMP, keys: new Map(), nowMs: 0 };

/** The keys that changed since `seen`, when `seen` is of the epoch's own past; else all of them. */
async function readKeys(tx: Query, seen: KeysRead, maxHeldUnits: number | null): Promise<KeysRead> {
	const { version, stamp, nowMs, whole, keys: changed } = await keysChangedSince(tx, seen);
	if (!whole && changed.length === 0) return { version, stamp, nowMs, keys: seen.keys };
	const keys = new Map(whole ? [] : seen.keys);
	for (const row of changed) keys.set(row.pk, toCachedKey(row, maxHeldUnits));
	return { version, stamp, nowMs, keys };
}

function toCachedKey(row: KeyRow, maxHeldUnits: number | null): CachedKey {
	return {
		caller: {
			keyId: row.keyId,
			pk: row.pk,
			partnerId: row.partnerId,
			environment: row.environment,
			brandCode: row.brandCode,
			poolId: row.poolId,
			sharedPool: row.sharedPool,
			scopes: new Set(row.scopes),
			requestsPerMinute: row.requestsPerMinute,
			maxHeldUnits: row.maxHeldUnits ?? maxHeldUnits,
		},
		name: row.name,
		suspended: row.suspended,
		issuedAt: row.createdAt,
		expiresAt: row.expiresAt,
		revokeAt: row.revokeAt,
		secrets: row.secrets.map(({ digest, pepperId, expiresAt }) => ({
			digest: Buffer.from(digest, "hex"),
			pepperId,
			expiresAt,
		})),
	};
}

/**
 * One reading within LOOK_TIMEOUT_MS. A connection on which it failed, or that hangs, is given up: the next look takes
 * another.
 */
async function askOnce<T>(db: Database, read: (client: Query) => Promise<T>): Promise<T> {
	const connecting = db.take();
	let client: Awaited<typeof connecting> | undefined;
	let timer: NodeJS.Timeout | undefined;
	let answered = false;
	try {
		const late = new Promise<never>((_resolve, reject) => {
			timer = setTimeout(() => reject(new LookTimedOut()), LOOK_TIMEOUT_MS);
		});
		client = await Promise.race([connecting, late]);
		const value = await Promise.race([read(client as unknown as Query), late]);
		answered = true;
		return value;
	} finally {
		clearTimeout(timer);
		if (client) client.release(!answered);
		// one that comes after all is good for the next look
		else connecting.then((latecomer) => latecomer.release()).catch(() => undefined);
	}
}

class LookTimedOut extends ConnectionLost {
	constructor() {
		super(`the database did not answer within ${LOOK_TIMEOUT_MS} ms`);
	}
}
