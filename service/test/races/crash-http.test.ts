import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedPostgres, openEmbedded } from "../../src/ground/embedded/embedded.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { type Database, openDatabase } from "../../src/ground/pg/connect.ts";
import { newKeyRingEntry, parseKeyRing } from "../../src/partners/keys/key-ring.ts";
import { emptyWorld } from "../../src/upkeep/import/entries.ts";
import { takeJson } from "../../src/upkeep/import/read-world.ts";
import { CUSTOMER } from "../contract/order-world.ts";
import { makeDataFolder, openDataPlace } from "../data-folder.ts";
import { mint } from "../doors.ts";
import { executeIn } from "../execute-in.ts";
import { type Node, startProcess } from "../house.ts";
import { importWorld } from "../import-world.ts";
import { audit } from "../model/audit.ts";
import { openSandbox } from "../open-sandbox.ts";
import { killAll, until } from "../processes/child.ts";
import { sizeOr } from "../sizes.ts";
import { openStoppingPipe, type Stop, type StoppingPipe } from "./stopping-pipe.ts";

/*
 * A partner places and cancels orders at a real service, while the service or its PostgreSQL process is killed with
 * SIGKILL. crash.test.ts kills at every step; here the partner finds out the outcome by the same Idempotency-Key.
 */

const SETTINGS = { fsync: "off", synchronous_commit: "on", full_page_writes: "off" };
const KITS = 2;
/** The statement that a service sends when it serves already, to print a hint on its first start. */
const COUNT_KEYS = "select count(*) as n from api_key";

interface Point extends Stop {
	readonly name: string;
	/** Whether it was done by the time the process was killed; null: either is possible. */
	readonly done: boolean | null;
}
const pointsOf = (write: string): Point[] => {
	const points: Point[] = [
		{ name: "its rows are locked", statement: "lock_orders", moment: "when it was done", done: false },
		{ name: "its rows are written", statement: write, moment: "when it was done", done: false },
		{ name: "COMMIT was sent", statement: "commit", behind: write, moment: "when it was sent", done: null },
		{
			name: "COMMIT is done and not answered",
			statement: "commit",
			behind: write,
			moment: "when it was done",
			done: true,
		},
	];
	return points.slice(sizeOr(0, 1)).filter((_, n) => n % sizeOr(1, 2) === 0);
};

let folder: string;
let server: EmbeddedPostgres;
let pipe: StoppingPipe;
let db: Database;
let token: string;
let node: Node;
let startAt: (url: string) => Promise<Node>;
const start = (): Promise<Node> => startAt(pipe.url);
let carts = 0;

beforeAll(async () => {
	folder = await openDataPlace("crash");
	await makeDataFolder(join(folder, "data"));
	server = await openEmbedded({ dataDir: join(folder, "data"), role: "tool", settings: SETTINGS });
	db = openDatabase(server.url, { name: "test" });
	pipe = await openStoppingPipe(server.url);
	const entry = newKeyRingEntry();
	const ring = parseKeyRing(entry);
	startAt = (url) =>
		startProcess({
			HOLDFAST_DATABASE_URL: url,
			HOLDFAST_SECRET_KEYS: entry,
			HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true",
			HOLDFAST_PORT: "0",
			HOLDFAST_COA_PORT: "0",
			HOLDFAST_METRICS_PORT: "0",
		});
	({ token } = await mint(db, ring, { scopes: ["atp.reserve", "atp.orders"] }));
	const world = emptyWorld();
	const file = {
		formulas: [{ code: "F", name: "F", status: "active" }],
		skus: [{ sku: "S", name: "S", kind: "single", components: [{ formula: "F", per_kit: 1 }] }],
		lots: [{ formula: "F", brand_code: null, batch_number: "B1", units: 1_000 }],
	};
	expect(takeJson(world, "world.json", JSON.stringify(file))).toEqual([]);
	await importWorld(db, { executeIn, openSandbox, ring, actor: "operator:test" }, world);
	node = await start();
});
afterEach(async () => {
	await db.close(); // connections that a crash has ended
	db = openDatabase(server.url, { name: "test" });
	expect(await audit(db)).toEqual([]);
});
afterAll(async () => {
	await killAll();
	await db.close();
	await pipe.close();
	await server.close();
	await rm(folder, { recursive: true, force: true });
});

interface Reply {
	readonly status: number;
	readonly text: string;
	readonly replayed: boolean;
}

async function ask(path: string, body: object, headers: Record<string, string> = {}): Promise<Reply> {
	const response = await fetch(node.api + path, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
		body: JSON.stringify(body),
	});
	const text = await response.text();
	return { status: response.status, text, replayed: response.headers.get("idempotent-replayed") === "true" };
}

async function reserve(): Promise<string> {
	const { text } = await ask("/api/v1/reserve", { items: [{ sku: "S", qty: KITS }] });
	return (JSON.parse(text) as { data: { reservation_token: string } }).data.reservation_token;
}
const place = (reservation_token: string, key: string) =>
	ask("/api/v1/orders", { reservation_token, customer: CUSTOMER }, { "idempotency-key": key });
const cancel = (key: string) => ask(`/api/v1/orders/${key}/cancel`, {});

/** Reads the order under an Idempotency-Key, its units and the number of their moves directly from the tables. */
async function orderUnder(key: string): Promise<string> {
	const { rows } = await db.query<{ is: string }>(
		`select concat_ws(' ', o.status, p.units, (select count(*) from unit_move where cause_id = o.reservation_token::text and cause in ('place', 'cancel'))) as is
		   from orders o cross join lateral (
		     select coalesce(sum(units) filter (where state = 'allocated'), 0) as units from part_now
		      where reservation_token = o.reservation_token) p where o.ref = $1`,
		[key],
	);
	return rows[0]?.is ?? "none";
}

/** A partner's action, the statements that it sends, and the states before and after. */
const ACTS = [
	{ name: "placing", write: "insert_orders", before: "none", after: `placed ${KITS} 1`, status: 201 },
	{ name: "cancelling", write: "update_orders", before: `placed ${KITS} 1`, after: "cancelled 0 2", status: 200 },
] as const;

describe.each(ACTS)("$name at a service", ({ name, write, before, after, status }) => {
	const begin = async () => {
		const [hold, key] = [await reserve(), `cart-${++carts}`];
		if (name === "cancelling") await place(hold, key);
		return { key, act: () => (name === "placing" ? place(hold, key) : cancel(key)) };
	};

	it.each(pointsOf(write))(
		"that is killed when $name: a repeat finds out what became of it",
		async ({ done, name: _, ...stop }) => {
			const { key, act } = await begin();
			const reached = pipe.watch(stop);
			const unheard = act().catch(() => null);
			await reached;
			await must(node.child, "a process").kill();
			expect(await unheard).toBeNull();
			node = await start();
			const was = await orderUnder(key);
			expect(done === null ? [before, after] : [done ? after : before]).toContain(was);
			const again = await act();
			expect([again.status, again.replayed]).toEqual(
				name === "placing" ? (was === after ? [200, true] : [201, false]) : [200, false],
			);
			expect(await orderUnder(key)).toBe(after);
			expect((await act()).text).toBe(again.text);
			expect(await orderUnder(key)).toBe(after);
		},
	);

	it.each(pointsOf(write))(
		"whose PostgreSQL is killed when $name: it is answered as done",
		async ({ done: _, name: __, ...stop }) => {
			const { key, act } = await begin();
			const reached = pipe.watch(stop);
			const answer = act();
			process.kill(await reached, "SIGKILL");
			const heard = await answer;
			expect([heard.status, heard.replayed], heard.text).toEqual([status, false]);
			expect(await until("the server to be back", () => orderUnder(key).catch(() => null))).toBe(after);
			expect((await act()).text).toBe(heard.text);
		},
	);
});

it("a service that loses its database right after its start goes on, and says so", async () => {
	const own = await openStoppingPipe(server.url, "holdfast tasks");
	try {
		const stopped = own.watch({ statement: COUNT_KEYS, moment: "before it" });
		const started = startAt(own.url);
		process.kill(await stopped, "SIGKILL");
		const other = await started;
		const child = must(other.child, "a process");
		await until("it to say so", () => child.errors.some((line) => line.includes("the next start does the rest")));
		await until("the service to be ready", async () => (await fetch(`${other.api}/readyz`)).status === 200);
		await other.stop();
	} finally {
		await own.close();
	}
});
