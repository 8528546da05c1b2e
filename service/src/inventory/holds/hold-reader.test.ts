import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { must } from "../../ground/lib/assert.ts";
import { type Database, openDatabase } from "../../ground/pg/connect.ts";
import { createHoldReader } from "./hold-reader.ts";
import { readHolds } from "./hold-reader-sql.ts";

/** Number of past holds of one key, and number of those under one reference. */
const HOLDS = 20_000;
const UNDER_ONE = 5_000;
const KEY = "0199f0a0-0000-7000-8000-00000000000a";
/** Maximum number of blocks that a read may touch: a few levels of each index, and a block of each table. */
const MAX_BLOCKS = 40;

describe("Reading a hold back among very many", () => {
	let database: TestDatabase;
	let db: Database;

	beforeAll(async () => {
		database = await openTestDatabase();
		// like the service's connections for reads
		db = openDatabase(database.url, { max: 1, indexPlansOnly: true });
		const lines = [{ sku: "A", brand_code: null, qty: 1, pools: [0], components: [{ formula_id: KEY, per_kit: 1 }] }];
		await db.query(
			`insert into hold (reservation_token, key_id, partner_id, status, external_ref, lines, created_at, expires_at, ended_at)
			 select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, $1, 'released',
			        case when n % ($3::int / $4::int) = 0 then 'cart' else 'cart ' || n end, $2,
			        now() - make_interval(secs => $3 - n), now() + interval '1 hour', now()
			   from generate_series(1, $3::int) n`,
			[KEY, JSON.stringify(lines), HOLDS, UNDER_ONE],
		);
		await db.query(
			`insert into hold_part (reservation_token, ordinal, line, formula_id, fg_id, pool_id, units)
			 select reservation_token, 0, 0, $1, $1, 0, 1 from hold`,
			[KEY],
		);
		await db.query("vacuum analyze hold, hold_part");
	});
	afterAll(async () => {
		await db.close();
		await database.close();
	});

	const tokenOf = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

	it("finds the newest of thousands under one reference, and any by its token", async () => {
		const reader = createHoldReader(db);
		const [byRef, byToken, none] = await Promise.all([
			reader.read({ keyId: KEY, externalRef: "cart" }),
			reader.read({ keyId: KEY, token: tokenOf(7) }),
			reader.read({ keyId: KEY, externalRef: "cart 0" }),
		]);
		expect(byRef).toMatchObject({ reservation_token: tokenOf(HOLDS), status: "released" });
		expect(byToken).toMatchObject({ reservation_token: tokenOf(7), external_ref: "cart 7" });
		expect(none).toMatchObject({ refusal: "not_found" });
	});

	it.each([
		["by reference", `'{NULL}', '{"cart"}'`, "hold_past_ref_newest"],
		["by token", `'{${tokenOf(7)}}', '{NULL}'`, "hold_pkey"],
	])("%s it walks indexes only, and touches a few blocks, however many holds there are", async (_how, named, index) => {
		await readHolds(db, [{ keyId: KEY, token: KEY }]); // prepares the statement
		const { rows } = await db.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
			`explain (analyze, buffers, format json) execute read_named_holds('{${KEY}}', ${named})`,
		);
		const { Plan } = must(rows[0], "the plan")["QUERY PLAN"][0];
		const nodes = nodesOf(Plan);
		expect(nodes.map((node) => node["Node Type"])).not.toContain("Seq Scan");
		expect(nodes.map((node) => node["Index Name"])).toContain(index);
		for (const node of nodes) expect(node["Actual Rows"] * node["Actual Loops"]).toBeLessThanOrEqual(1);
		expect(Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"]).toBeLessThan(MAX_BLOCKS);
	});
});

interface Plan {
	readonly "Node Type": string;
	readonly "Index Name"?: string;
	readonly "Actual Rows": number;
	readonly "Actual Loops": number;
	readonly "Shared Hit Blocks": number;
	readonly "Shared Read Blocks": number;
	readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
