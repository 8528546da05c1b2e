import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedPostgres, openEmbedded } from "../../src/ground/embedded/embedded.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { type Database, openDatabase } from "../../src/ground/pg/connect.ts";
import { GetRecall, ListRecalls } from "../../src/inventory/recall/admin-contract.ts";
import { RestoreLot } from "../../src/inventory/recall/lot-admin-contract.ts";
import { newKeyRingEntry, parseKeyRing } from "../../src/partners/keys/key-ring.ts";
import { emptyWorld } from "../../src/upkeep/import/entries.ts";
import { takeJson } from "../../src/upkeep/import/read-world.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { CUSTOMER } from "../contract/order-world.ts";
import { makeDataFolder, openDataPlace } from "../data-folder.ts";
import { mint } from "../doors.ts";
import { executeIn } from "../execute-in.ts";
import { type Node, startProcess } from "../house.ts";
import { importWorld } from "../import-world.ts";
import { openSandbox } from "../open-sandbox.ts";
import { operate } from "../operate.ts";
import { type Child, killAll, LAUNCHER, shellWith, start as startChild, until } from "../processes/child.ts";
import { holdfast } from "../processes/holdfast.ts";
import { sizeOr } from "../sizes.ts";

/*
 * A recall, by a command, of a batch of which many holds and orders have units. In the middle of it the terminal is
 * closed, or the service or PostgreSQL is killed. The step in the middle waits for a row that the test has locked.
 */

const SETTINGS = { fsync: "off", synchronous_commit: "on", full_page_writes: "off" };
const HOLDS = sizeOr(20_000, 300);
const ORDERS = sizeOr(2_000, 50);
const FREE = 10;
const SPARE = 5;
const UNITS = HOLDS + ORDERS + FREE;
/** Number of concurrent requests of the partner. */
const AT_ONCE = 20;
const BATCH = "C-2611";
const RECALL = ["stock", "recall", "--batch", BATCH, "--reason", "lab report 77", "--json"];
const MINUTES = 1_440;

let folder: string;
let server: EmbeddedPostgres;
let db: Database;
let env: Record<string, string>;
let node: Node;
let fgId: string;
/** The hold at whose row the recall waits: the last one that it reaches. */
let lastHold: string;

beforeAll(
	async () => {
		folder = await openDataPlace("recall");
		await makeDataFolder(join(folder, "data"));
		server = await openEmbedded({ dataDir: join(folder, "data"), role: "tool", settings: SETTINGS });
		db = openDatabase(server.url, { name: "test" });
		const entry = newKeyRingEntry();
		const ring = parseKeyRing(entry);
		env = {
			HOLDFAST_DATABASE_URL: server.url,
			HOLDFAST_SECRET_KEYS: entry,
			HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true",
			HOLDFAST_PORT: "0",
			HOLDFAST_COA_PORT: "0",
			HOLDFAST_METRICS_PORT: "0",
			HOLDFAST_MAX_TTL_MINUTES: String(MINUTES),
			HOLDFAST_ADMIN_SOCKET: join(folder, "admin.sock"),
		};
		const { token } = await mint(db, ring, { scopes: ["atp.reserve", "atp.orders"] });
		const world = emptyWorld();
		const lot = { formula: "F", brand_code: null };
		const file = {
			formulas: [{ code: "F", name: "F", status: "active" }],
			skus: [{ sku: "S", name: "S", kind: "single", components: [{ formula: "F", per_kit: 1 }] }],
			lots: [
				{ ...lot, batch_number: BATCH, units: UNITS, expires_on: "2090-01-31" },
				{ ...lot, batch_number: "GOOD", units: SPARE, expires_on: "2090-02-28" },
			],
		};
		expect(takeJson(world, "world.json", JSON.stringify(file))).toEqual([]);
		await importWorld(db, { executeIn, openSandbox, ring, actor: "operator:test" }, world);
		const { rows } = await db.query<{ fg_id: string }>("select fg_id from lot where batch_number = $1", [BATCH]);
		fgId = must(rows[0], "the lot").fg_id;
		node = await startProcess(env);
		await trade(token);
	},
	sizeOr(1_200_000, 180_000),
);
afterAll(async () => {
	await killAll();
	await db.close();
	await server.close();
	await rm(folder, { recursive: true, force: true });
});

/** The partner reserves, places some of the holds, and makes one more hold, the youngest. */
async function trade(token: string): Promise<void> {
	const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
		for (;;) {
			const reply = await fetch(`${node.api}/api/v1/${path}`, {
				method: "POST",
				headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
				body: JSON.stringify(body),
			});
			if (reply.status === 429) {
				// a busy machine: the service asks its partners to come again
				await sleep(Number(reply.headers.get("retry-after") ?? 1) * 1_000);
				continue;
			}
			expect(reply.status, path).toBe(201);
			return ((await reply.json()) as { data: { reservation_token: string } }).data;
		}
	};
	const reserve = async () =>
		(await post("reserve", { items: [{ sku: "S", qty: 1 }], ttl_minutes: MINUTES })).reservation_token;
	let made = 0;
	const partner = async (): Promise<void> => {
		for (let n = made++; n < HOLDS - 1 + ORDERS; n = made++) {
			const reservation_token = await reserve();
			if (n < ORDERS)
				await post("orders", { reservation_token, customer: CUSTOMER }, { "idempotency-key": `cart-${n}` });
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, partner));
	lastHold = await reserve();
}

const socket = () => ({ socket: node.socket });
const command = (): Child => startChild(process.execPath, [LAUNCHER, ...RECALL], { env: shellWith(env) });

/** A lock on the row of the last hold, which the last step of the recall needs. */
async function lockLastHold(): Promise<{ release(): Promise<void> }> {
	const client = await db.take();
	await client.query("begin");
	await client.query("select from hold where reservation_token = $1 for update", [lastHold]);
	return {
		release: async () => {
			await client.query("rollback").catch(() => undefined); // PostgreSQL may have been killed
			client.release(true);
		},
	};
}

/** The run of the recall, once it waits at the locked row. */
const stuckRun = () =>
	until("the recall to come to its last step", async () => {
		const { rows } = await db.query<{ id: string }>(
			"select run_id as id from operator_run where operation = 'recall_lots' and status = 'running' and done >= $1",
			[UNITS - 200],
		);
		return rows[0]?.id;
	});

/** The server's process that waits for the row. */
const waitingPid = () =>
	until("a step to wait for the locked row", async () => {
		const { rows } = await db.query<{ pid: number }>(
			"select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() limit 1",
		);
		return rows[0]?.pid;
	});

const count = async (from: string): Promise<number> =>
	must((await db.query<{ n: number }>(`select count(*)::int as n from ${from}`)).rows[0], "a count").n;
const recallsAudited = () => count("audit_log where operation = 'recall_lots'");
const unitsRecalled = async (): Promise<number> => {
	const { rows } = await db.query<{ n: number }>(
		"select coalesce(sum(units), 0)::int as n from unit_move where fg_id = $1 and cause = 'recall' and to_bucket = 'quarantined'",
		[fgId],
	);
	return must(rows[0], "a sum").n;
};

/** Begins a recall, calls `interrupt` in the middle, and repeats the command: there is one recall with one list. */
async function isOneRecall(interrupt: (first: Child, release: () => Promise<void>) => Promise<void>): Promise<void> {
	const before = { audited: await recallsAudited(), units: await unitsRecalled() };
	const lock = await lockLastHold();
	const first = command();
	const runId = await stuckRun();
	await interrupt(first, lock.release);
	await first.exited;
	const again = await holdfast(RECALL, env);
	expect([again.code, again.err.includes("Error")], again.err).toEqual([0, false]);
	const report = again.json;
	expect(report).toMatchObject({ recall_id: runId, status: "done", moved: UNITS, left: 0, dry_run: false });
	expect(report.held_orders.length + report.impaired_holds.length).toBe(report.lost);
	expect(report.lost).toBe(HOLDS + ORDERS - SPARE);
	expect((await operate(socket(), GetRecall, { params: { id: runId } })).json.data).toEqual(report);
	expect((await holdfast(RECALL, env)).json).toEqual(report);
	const { items } = (await operate(socket(), ListRecalls)).json.data;
	expect(items[0]).toMatchObject({ recall_id: runId, moved: UNITS, left: 0 });
	expect([await recallsAudited(), await unitsRecalled()]).toEqual([before.audited + 1, before.units + UNITS]);
	expect((await verify(db)).differences).toEqual([]);
}

/** Restores all units and frees those that replaced them, as before the recall. */
async function undo(): Promise<void> {
	const body = { all: true, ends_recall: true, reason: "false alarm" };
	await operate(socket(), RestoreLot, { params: { fg_id: fgId }, body });
	await until("the restore to end", async () => (await count("operator_run where status = 'running'")) === 0);
}

describe("A recall of a batch that many holds and orders have", () => {
	it(
		"goes on when the terminal of its command is closed",
		async () => {
			await isOneRecall(async (first, release) => {
				first.process.kill("SIGHUP");
				expect(await first.exited).not.toBe(0);
				await release();
			});
			await undo();
		},
		sizeOr(900_000, 120_000),
	);

	it(
		"is gone on with when the service is killed in the middle of it",
		async () => {
			await isOneRecall(async (_first, release) => {
				await waitingPid();
				await must(node.child, "a process").kill();
				await release();
				// an everyday run does not wait for the end of its lease
				if (sizeOr(false, true)) await db.query("update operator_run set held_until = now() where status = 'running'");
				node = await startProcess(env);
			});
			await undo();
		},
		sizeOr(900_000, 120_000),
	);

	it(
		"is gone on with when PostgreSQL is killed in the middle of it",
		async () => {
			await isOneRecall(async (_first, release) => {
				process.kill(await waitingPid(), "SIGKILL");
				await release();
				await db.close(); // its connections have ended with the server
				db = openDatabase(server.url, { name: "test" });
				await until("the server to be back", () => count("lot").catch(() => null));
			});
		},
		sizeOr(900_000, 120_000),
	);
});
