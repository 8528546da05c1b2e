import { type AddressInfo, createServer } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { mint as mintAnyKey, newPartner } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { listKeys } from "../../../test/list-keys.ts";
import { openSandbox } from "../../../test/open-sandbox.ts";
import { runTask } from "../../../test/run-task.ts";
import { writtenColumns } from "../../../test/written-columns.ts";
import { SANDBOX_BRAND } from "../../glossary.ts";
import { monotonicMs } from "../../ground/lib/clock.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { TasksRunning } from "../../ground/lib/run-tasks.ts";
import { type Database, openDatabase } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { isUnauthenticated } from "../http/caller.ts";
import { createAuthenticate } from "./authenticate.ts";
import { createKeyCache, FRESH_FOR_MS, type KeyCache } from "./key-cache.ts";
import { newKeyRingEntry, parseKeyRing } from "./key-ring.ts";
import { mintKey } from "./mint-key.ts";
import { rotateKey } from "./rotate-key.ts";
import { resumeKey, revokeKey, suspendKey } from "./suspend-key.ts";
import { LOOK_AT_KEYS } from "./tasks.ts";

const ring = parseKeyRing(newKeyRingEntry());
const looking: TasksRunning[] = [];
let database: TestDatabase;
let db: Database;

beforeAll(async () => {
	database = await openTestDatabase();
	({ db } = database);
});
afterEach(async () => {
	await Promise.all(looking.splice(0).map((tasks) => tasks.stop()));
});
afterAll(() => database.close());

/** A node of the service: its own cache, and the callers that it admits. */
async function node(on: Database = db, options: { now?: () => number; polls?: boolean } = {}) {
	const cache = createKeyCache(on, options.now === undefined ? {} : { now: options.now });
	await cache.refresh();
	if (options.polls !== false) looking.push(runTask(LOOK_AT_KEYS, { keys: cache }));
	const authenticate = createAuthenticate(cache, ring);
	return {
		cache,
		authenticate,
		letsIn: async (token: string) => {
			const judged = await authenticate(`Bearer ${token}`);
			return isUnauthenticated(judged) ? null : judged.caller.pk;
		},
	};
}

const mint = (request?: Parameters<typeof mintAnyKey>[2]) => mintAnyKey(db, ring, request);

async function done<T>(work: Parameters<typeof transaction<T | Refusal>>[1]): Promise<T> {
	const answer = await transaction(db, work);
	if (isRefusal(answer)) throw new Error(answer.message);
	return answer;
}

async function refused(work: Parameters<typeof transaction<unknown>>[1]): Promise<string> {
	const answer = await transaction(db, work);
	return isRefusal(answer) ? answer.refusal : "not refused";
}

describe("Authentication", () => {
	it("lets a key in at once, without asking the database", async () => {
		const { token, pk, keyId } = await mint({ scopes: ["atp.check"], requestsPerMinute: 7, maxHeldUnits: 9 });
		const { authenticate } = await node();
		expect(authenticate(`Bearer ${token}`)).toMatchObject({
			caller: {
				keyId,
				pk,
				partnerId: expect.any(String),
				environment: "live",
				brandCode: null,
				poolId: null,
				sharedPool: true,
				scopes: new Set(["atp.check"]),
				requestsPerMinute: 7,
				maxHeldUnits: 9,
			},
		});
		expect(authenticate(`bEARER   ${token} `)).toMatchObject({ caller: { pk } });
	});

	it("lets a key in that was minted a moment ago on another node", async () => {
		const { letsIn } = await node();
		for (let n = 0; n < 5; n++) {
			const { token, pk } = await mint();
			expect(await letsIn(token)).toBe(pk);
		}
	});

	it("refuses what is no token, another key's secret, and a key of no one", async () => {
		const [mine, theirs] = [await mint(), await mint()];
		const { authenticate, letsIn } = await node();
		for (const header of [undefined, "", "Bearer", "Bearer ", `Basic ${mine.token}`, mine.token, "Bearer x:y"]) {
			expect(authenticate(header)).toEqual({ why: "malformed" });
		}
		expect(await letsIn(`${mine.pk}:${theirs.token.split(":")[1]}`)).toBeNull();
		const { token } = await mint();
		await db.query("delete from key_secret where key_id = (select key_id from api_key where pk = $1)", [
			token.split(":")[0],
		]);
		expect(await letsIn(token)).toBeNull();
	});

	it("takes the same steps for every failure: unknown, wrong, revoked, suspended, expired", async () => {
		const [good, revoked, suspended, expired] = [await mint(), await mint(), await mint(), await mint()];
		await done((tx) => revokeKey(tx, revoked.pk));
		await done((tx) => suspendKey(tx, suspended.pk));
		await db.query("update key_epoch set version = version + 1");
		await db.query("update api_key set expires_at = now(), version = (select version from key_epoch) where pk = $1", [
			expired.pk,
		]);
		const other = parseKeyRing(newKeyRingEntry());
		const stranger = await mintElsewhere(other);
		const { cache, authenticate } = await node(db, { polls: false });
		const tokens = [
			[stranger, { why: "unknown" }],
			[`${good.pk}:${revoked.token.split(":")[1]}`, { why: "wrong_secret" }],
			[revoked.token, { why: "revoked", owner: { pk: revoked.pk } }],
			[suspended.token, { why: "suspended", owner: { pk: suspended.pk } }],
			[expired.token, { why: "expired", owner: { pk: expired.pk } }],
		] as const;
		for (const [token, judgement] of tokens) {
			const steps: string[] = [];
			const note = <T>(step: string, value: T): T => {
				steps.push(step);
				return value;
			};
			const watched: KeyCache = {
				...cache,
				find: (pk) => note("find", cache.find(pk)),
				databaseNow: () => note("now", cache.databaseNow()),
				refresh: async () => note("refresh", await cache.refresh()),
			};
			expect(await createAuthenticate(watched, ring)(`Bearer ${token}`)).toMatchObject(judgement);
			expect(steps).toEqual(["find", "now", "refresh", "find", "now"]);
		}
		expect(await authenticate(`Bearer ${good.token}`)).toMatchObject({ caller: { pk: good.pk } });
	});

	it("rejects, rather than guesses, when the database cannot be asked", async () => {
		const { token } = await mint();
		const away = openDatabase(database.url, { max: 1 });
		let now = 0;
		const { authenticate } = await node(away, { now: () => now, polls: false });
		await away.close();
		expect(authenticate(`Bearer ${token}`)).toMatchObject({ caller: { pk: expect.any(String) } });
		now += FRESH_FOR_MS + 1;
		await expect(authenticate(`Bearer ${token}`)).rejects.toThrow(/pool/);
	});
});

/** A well-formed token whose key is not in this database. */
async function mintElsewhere(other: ReturnType<typeof parseKeyRing>): Promise<string> {
	const { token, pk } = await mintAnyKey(db, other);
	await db.query("delete from key_secret where key_id = (select key_id from api_key where pk = $1)", [pk]);
	await db.query("delete from api_key where pk = $1", [pk]);
	return token;
}

describe("Revocation", () => {
	it("is in force on every node as soon as each looks again, and no node serves on an old look", async () => {
		const { token, pk } = await mint();
		let now = 0;
		const nodes = [await node(db, { now: () => now, polls: false }), await node(db, { now: () => now, polls: false })];
		for (const { letsIn } of nodes) expect(await letsIn(token)).toBe(pk);
		await done((tx) => revokeKey(tx, pk));
		now += FRESH_FOR_MS + 1; // no read has succeeded since: nothing was polled, and nothing was notified
		for (const { letsIn } of nodes) expect(await letsIn(token)).toBeNull();
	});

	it("reaches nodes that only ever let keys in, within a second", async () => {
		const { token, pk } = await mint();
		const nodes = [await node(), await node()];
		for (const { letsIn } of nodes) expect(await letsIn(token)).toBe(pk);
		await done((tx) => revokeKey(tx, pk));
		await new Promise((resolve) => setTimeout(resolve, 1_000));
		for (const { authenticate } of nodes)
			expect(await authenticate(`Bearer ${token}`)).toMatchObject({ why: "revoked" });
	});

	it("can be scheduled, is carried out by the database's clock, and an earlier one stands", async () => {
		const { token, pk } = await mint();
		const { rows } = await db.query<{ soon: Date }>("select now() + interval '400 ms' as soon");
		const soon = rows[0]?.soon as Date;
		expect((await done((tx) => revokeKey(tx, pk, soon))).revokeAt).toEqual(soon);
		const later = new Date(soon.getTime() + 3_600_000);
		expect((await done((tx) => revokeKey(tx, pk, later))).revokeAt).toEqual(soon);
		const { letsIn } = await node();
		expect(await letsIn(token)).toBe(pk);
		await new Promise((resolve) => setTimeout(resolve, 450));
		expect(await letsIn(token)).toBeNull();
	});
});

describe("A database that lost changes of keys", () => {
	const TABLES = ["key_epoch", "epoch_log", "api_key", "key_secret"];
	const save = () => Promise.all(TABLES.map((table) => db.query(`create table saved_${table} as table ${table}`)));
	/** Resets everything to the saved state. No trigger fires, as none does for a restore or a failover. */
	const restore = (): Promise<void> =>
		transaction(db, async (tx) => {
			await tx.query("set local session_replication_role = replica");
			for (const table of TABLES.toReversed()) await tx.query(`delete from ${table}`);
			for (const table of TABLES) {
				const columns = await writtenColumns(tx, table);
				await tx.query(`insert into ${table} (${columns}) select ${columns} from saved_${table}`);
				await tx.query(`drop table saved_${table}`);
			}
		});

	it("is believed by running nodes: a key that is not there any more is refused, a lost revocation is no longer in force", async () => {
		const [revoked, suspended, untouched] = [await mint(), await mint(), await mint()];
		await done((tx) => suspendKey(tx, suspended.pk));
		const { letsIn, cache } = await node();
		await save();
		const lost = await mint();
		await done((tx) => revokeKey(tx, revoked.pk));
		await done((tx) => resumeKey(tx, suspended.pk));
		await cache.refresh();
		expect(await letsIn(lost.token)).toBe(lost.pk);
		expect(await letsIn(revoked.token)).toBeNull();
		await restore();
		await cache.refresh();
		expect(await letsIn(lost.token)).toBeNull();
		expect(await letsIn(revoked.token)).toBe(revoked.pk);
		expect(await letsIn(suspended.token)).toBeNull();
		expect(await letsIn(untouched.token)).toBe(untouched.pk);
	});

	it("hides nothing from running nodes when the next changes take the lost numbers", async () => {
		const [first, second] = [await mint(), await mint()];
		const { letsIn, cache } = await node();
		const numberNow = async () => (await db.query("select version from key_epoch")).rows;
		await save();
		const lost = await mint();
		await done((tx) => suspendKey(tx, first.pk));
		await cache.refresh();
		const lostNumber = await numberNow();
		await looking.pop()?.stop(); // it does not read while the database is away
		await restore();
		await done((tx) => suspendKey(tx, second.pk));
		await done((tx) => revokeKey(tx, second.pk));
		expect(await numberNow()).toEqual(lostNumber);
		await cache.refresh();
		expect(await letsIn(lost.token)).toBeNull();
		expect(await letsIn(second.token)).toBeNull();
		expect(await letsIn(first.token)).toBe(first.pk);
	});

	it("is believed also when the change was undone in SQL", async () => {
		const { token, pk } = await mint();
		const { letsIn, cache } = await node();
		await done((tx) => revokeKey(tx, pk));
		await cache.refresh();
		expect(await letsIn(token)).toBeNull();
		await db.query("update api_key set revoke_at = null, version = version - 1 where pk = $1", [pk]);
		await db.query("update key_secret set expires_at = null");
		await db.query("update key_epoch set version = version - 1");
		await cache.refresh();
		expect(await letsIn(token)).toBe(pk);
	});
});

describe("A look at the keys", () => {
	it("that gets no connection, or no answer, is over in about a second and a half", async () => {
		const silent = createServer(); // accepts connections and answers nothing
		await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
		const { port } = silent.address() as AddressInfo;
		const hanging = openDatabase(`postgresql://nobody@127.0.0.1:${port}/none`, { max: 1 });
		const cache = createKeyCache(hanging);
		const begun = monotonicMs();
		await expect(cache.refresh()).rejects.toThrow("did not answer within 1500 ms");
		expect(monotonicMs() - begun).toBeLessThan(3_000); // the wait for the connection itself is longer
		silent.close();
	});
});

describe("Rotation", () => {
	it("keeps the public half, and both secrets work for the overlap", async () => {
		const { token, pk } = await mint();
		const { letsIn } = await node();
		const rotated = await done((tx) => rotateKey(tx, ring, pk, 1));
		expect(rotated.pk).toBe(pk);
		expect([await letsIn(token), await letsIn(rotated.token)]).toEqual([pk, pk]);
		const [listed] = (await listKeys(db)).filter((key) => key.pk === pk);
		expect(listed?.secrets).toHaveLength(2);
	});

	it("with no overlap ends the old secret at once", async () => {
		const { token, pk } = await mint();
		const { letsIn } = await node();
		const rotated = await done((tx) => rotateKey(tx, ring, pk, 0));
		await new Promise((resolve) => setTimeout(resolve, 600));
		expect([await letsIn(token), await letsIn(rotated.token)]).toEqual([null, pk]);
	});

	it("goes on under an older pepper while it is in the ring", async () => {
		const { token, pk } = await mint();
		const [old, fresh] = [newKeyRingEntry(), newKeyRingEntry()];
		const minted = await mintAnyKey(db, parseKeyRing(old));
		const cache = createKeyCache(db);
		await cache.refresh();
		const both = createAuthenticate(cache, parseKeyRing(`${fresh},${old}`));
		expect(await both(`Bearer ${minted.token}`)).toMatchObject({ caller: { pk: minted.pk } });
		expect(await both(`Bearer ${token}`)).toEqual({ why: "wrong_secret" });
		expect(pk).not.toBe(minted.pk);
	});

	it.each([-1, 721, Number.NaN])("refuses an overlap of %s hours", async (hours) => {
		const { pk } = await mint();
		expect(await refused((tx) => rotateKey(tx, ring, pk, hours))).toBe("invalid_input");
	});
});

describe("Suspension", () => {
	it("keeps a key out until it is resumed", async () => {
		const { token, pk } = await mint();
		const { letsIn, cache } = await node();
		await done((tx) => suspendKey(tx, pk));
		await cache.refresh();
		expect(await letsIn(token)).toBeNull();
		await done((tx) => resumeKey(tx, pk));
		expect(await letsIn(token)).toBe(pk);
	});
});

describe("Minting", () => {
	it("a live key schedules the partner's sandbox keys for revocation in 30 days", async () => {
		const partner = newPartner();
		const sandbox = await mint({ partner, environment: "sandbox", brandCode: SANDBOX_BRAND, sharedPool: false });
		const other = await mint({ environment: "sandbox", brandCode: SANDBOX_BRAND, sharedPool: false });
		const live = await mint({ partner });
		expect(live.sandboxKeysEnding).toEqual([sandbox.pk]);
		const listed = new Map((await listKeys(db)).map((key) => [key.pk, key]));
		const { rows } = await db.query<{ due: Date }>(
			"select created_at + interval '30 days' as due from api_key where pk = $1",
			[live.pk],
		);
		expect(listed.get(sandbox.pk)).toMatchObject({ state: "live", brandCode: "SANDBOX", revokeAt: rows[0]?.due });
		expect(listed.get(other.pk)?.revokeAt).toBeNull();
		expect(live.sandboxEndsAt).toEqual(rows[0]?.due);
		expect(await mint({ partner })).toMatchObject({ sandboxKeysEnding: [], sandboxEndsAt: null }); // they have an end already
	});

	it("refuses what contradicts itself", async () => {
		const partner = newPartner();
		const good = {
			name: "k",
			partner,
			environment: "live",
			brandCode: null,
			sharedPool: true,
			scopes: ["atp.check"],
		} as const;
		const wrong = [
			{ ...good, environment: "sandbox" },
			{ ...good, brandCode: SANDBOX_BRAND },
			{ ...good, environment: "sandbox", brandCode: SANDBOX_BRAND },
			{ ...good, scopes: [] },
			{ ...good, name: "" },
			{ ...good, requestsPerMinute: 0 },
			{ ...good, requestsPerMinute: 1_000_001 },
			{ ...good, maxHeldUnits: 0 },
			{ ...good, brandCode: "NO SUCH BRAND", partner: "Nobody yet" },
		] as const;
		for (const request of wrong)
			expect(await refused((tx) => mintKey(tx, { ring, openSandbox }, request))).toBe("invalid_input");
		expect((await db.query("select from partner where name = 'Nobody yet'")).rowCount).toBe(0);
		expect(await refused((tx) => mintKey(tx, { ring, openSandbox }, good))).toBe("not refused");
		expect(await refused((tx) => mintKey(tx, { ring, openSandbox }, good))).toBe("invalid_input");
	});

	it("stores no secret, only its digest under the pepper", async () => {
		const { token } = await mint();
		const { rows } = await db.query(
			"select k::text || coalesce(s::text, '') as row from api_key k join key_secret s using (key_id)",
		);
		const stored = JSON.stringify(rows);
		const sk = token.split(":")[1] ?? "";
		expect(stored).not.toContain(sk.slice(12));
		expect(stored).not.toContain(Buffer.from(sk).toString("hex"));
	});
});

describe("Naming a key", () => {
	it("by its public half or its name; a name that two partners use is not enough", async () => {
		const [one, two] = [await mint({ name: "shop" }), await mint({ name: "shop" })];
		const only = await mint({ name: "the only one" });
		expect(await done((tx) => suspendKey(tx, "the only one"))).toMatchObject({ pk: only.pk });
		expect(await refused((tx) => suspendKey(tx, "shop"))).toBe("invalid_input");
		expect(await done((tx) => suspendKey(tx, two.pk))).toMatchObject({ pk: two.pk });
		expect(await refused((tx) => revokeKey(tx, "nobody"))).toBe("not_found");
		expect((await listKeys(db)).find(({ pk }) => pk === one.pk)?.state).toBe("live");
	});
});
