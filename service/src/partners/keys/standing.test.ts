import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mint } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { monotonicMs } from "../../ground/lib/clock.ts";
import { type Database, openDatabase } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { isUnauthenticated, type Standing, TooManyWait } from "../http/caller.ts";
import { createAuthenticate } from "./authenticate.ts";
import { createKeyCache, FRESH_FOR_MS, type KeyCache } from "./key-cache.ts";
import { newKeyRingEntry, parseKeyRing } from "./key-ring.ts";
import { rotateKey } from "./rotate-key.ts";
import { resumeKey, revokeKey, suspendKey } from "./suspend-key.ts";
import { newSk } from "./token.ts";

/** The address of the requests. */
const FROM = (): string => "203.0.113.1";
const ring = parseKeyRing(newKeyRingEntry());
let database: TestDatabase;
let db: Database;

beforeAll(async () => {
	database = await openTestDatabase();
	db = database.db;
});
afterAll(() => database.close());

/** Valid keys, and a cache that reads only when the test tells it to. */
async function standingOf(token: string, cache: KeyCache): Promise<Standing> {
	const judged = await createAuthenticate(cache, ring)(`Bearer ${token}`, FROM);
	if (isUnauthenticated(judged)) throw new Error(`the key is ${JSON.stringify(judged)}`);
	return judged;
}

async function cacheOf(now?: () => number): Promise<KeyCache> {
	const cache = createKeyCache(db, now === undefined ? {} : { now });
	await cache.refresh();
	return cache;
}

it("a key in memory keeps no more memory than its own", async () => {
	const { pk } = await mint(db, ring);
	const [secret] = (await cacheOf()).find(pk)?.secrets ?? [];
	expect(secret?.digest.buffer.byteLength).toBe(secret?.digest.byteLength);
});

describe("The standing of a key that was let in", () => {
	it("ends with its revocation as soon as memory knows", async () => {
		const { token, pk } = await mint(db, ring);
		const standing = await standingOf(token, await cacheOf());
		expect([standing.caller.pk, standing.inForce()]).toEqual([pk, true]);
		await transaction(db, (tx) => revokeKey(tx, pk));
		expect(await standing.confirm()).toBe(false);
		expect(standing.inForce()).toBe(false);
	});

	it("ends with a suspension, and is back with the key", async () => {
		const { token, pk } = await mint(db, ring);
		const standing = await standingOf(token, await cacheOf());
		await transaction(db, (tx) => suspendKey(tx, pk));
		expect(await standing.confirm()).toBe(false);
		await transaction(db, (tx) => resumeKey(tx, pk));
		expect(await standing.confirm()).toBe(true);
	});

	it("is that of the very secret: one rotated out ends, though the key and its new secret go on", async () => {
		const { token, pk } = await mint(db, ring);
		const cache = await cacheOf();
		const old = await standingOf(token, cache);
		const rotated = await transaction(db, (tx) => rotateKey(tx, ring, pk, 0));
		if ("refusal" in rotated) throw new Error(rotated.message);
		expect(await old.confirm()).toBe(false);
		expect((await standingOf(rotated.token, cache)).inForce()).toBe(true);
		expect(await createAuthenticate(cache, ring)(`Bearer ${token}`, FROM)).toMatchObject({ why: "replaced" });
	});

	it("goes on through a rotation with an overlap, and ends with the overlap by the database's clock", async () => {
		const { token, pk } = await mint(db, ring);
		let ahead = 0;
		const real = await cacheOf();
		const cache: KeyCache = { ...real, databaseNow: () => real.databaseNow() + ahead };
		const standing = await standingOf(token, cache);
		await transaction(db, (tx) => rotateKey(tx, ring, pk, 1));
		expect(await standing.confirm()).toBe(true);
		ahead = 3_600_000;
		expect(standing.inForce()).toBe(false);
	});

	it("is stale, neither good nor ended, when memory is too old to say", async () => {
		const { token, pk } = await mint(db, ring);
		let now = 0;
		const cache = await cacheOf(() => now);
		const standing = await standingOf(token, cache);
		await transaction(db, (tx) => revokeKey(tx, pk));
		expect(standing.inForce()).toBe(true); // not read since then: within the second that a revocation may take
		now += FRESH_FOR_MS + 1;
		expect(standing.inForce()).toBe("stale");
		expect(await standing.confirm()).toBe(false);
		expect(standing.inForce()).toBe(false);
	});
});

describe("While the keys cannot be read", () => {
	/** A cache whose database is away: it fails as a lost connection does, until `mend`. */
	async function away(): Promise<{
		cache: KeyCache;
		token: string;
		pk: string;
		mend: () => void;
		looks: () => number;
	}> {
		const { token, pk } = await mint(db, ring);
		const nowhere = openDatabase("postgresql://127.0.0.1:1/nowhere", { max: 1 });
		const dead = createKeyCache(nowhere);
		const real = createKeyCache(db);
		let mended = false;
		let looks = 0;
		const cache: KeyCache = {
			...real,
			refresh: () => {
				looks++;
				return mended ? real.refresh() : dead.refresh();
			},
		};
		return {
			cache,
			token,
			pk,
			mend: () => {
				mended = true;
			},
			looks: () => looks,
		};
	}

	it("a request waits, and is let in when they can be read again in time", async () => {
		const { cache, token, pk, mend, looks } = await away();
		const waiting = createAuthenticate(cache, ring)(`Bearer ${token}`, FROM);
		await expect.poll(looks).toBeGreaterThan(1);
		mend();
		expect(await waiting).toMatchObject({ caller: { pk } });
	});

	it("none waits longer than it may, and what is more than may wait of one key is refused without asking", async () => {
		const { cache, token, mend, looks } = await away();
		const authenticate = createAuthenticate(cache, ring, { mostWaitingOfOne: 3, waitMs: 300 });
		const waiting = [1, 2, 3].map(() => Promise.resolve(authenticate(`Bearer ${token}`, FROM)).catch(String));
		const before = looks();
		await expect(authenticate(`Bearer ${token}`, FROM)).rejects.toThrow(TooManyWait);
		expect(looks()).toBe(before);
		for (const answer of await Promise.all(waiting)) expect(answer).toMatch(/could not be read|ECONNREFUSED/);
		mend();
		expect(isUnauthenticated(await authenticate(`Bearer ${token}`, FROM))).toBe(false);
	});

	it("whoever waits in great numbers waits for itself: with a key, or with a token that is none", async () => {
		const { token, pk } = await mint(db, ring);
		let ahead = 0;
		const real = await cacheOf(() => monotonicMs() + ahead);
		ahead = 2 * FRESH_FOR_MS;
		const { promise: mended, resolve: mend } = Promise.withResolvers<void>();
		const cache: KeyCache = { ...real, refresh: () => mended.then(() => real.refresh()) };
		const authenticate = createAuthenticate(cache, ring, { mostWaitingOfOne: 3, waitMs: 5_000 });
		// of this key, but with another secret
		const forged = `${pk}:${newSk("live")}`;
		const crowd = [1, 2, 3, 4, 5].map(() => Promise.resolve(authenticate(`Bearer ${forged}`, () => "203.0.113.9")));
		const crowded = Promise.all(crowd.map((one) => one.catch((error: unknown) => (error as Error).name)));
		const owner = authenticate(`Bearer ${token}`, () => "203.0.113.9");
		const elsewhere = authenticate(`Bearer ${forged}`, () => "203.0.113.10");
		mend();
		expect(await owner).toMatchObject({ caller: { pk } });
		const wrong = { why: "wrong_secret" };
		expect(await elsewhere).toEqual(wrong);
		expect(await crowded).toEqual([wrong, wrong, wrong, "TooManyWait", "TooManyWait"]);
	});
});
