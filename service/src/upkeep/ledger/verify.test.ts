import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NO_PDFS } from "../../../test/changed-by-sql.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { importWorld } from "../../../test/import-world.ts";
import { LINKS } from "../../../test/links.ts";
import { openSandbox, SANDBOX_SETTINGS } from "../../../test/open-sandbox.ts";
import { restoreInSteps, takeOutInSteps } from "../../../test/recall-steps.ts";
import { CERTIFICATE_RULES, ORDER_RULES, PROOF_RULES } from "../../../test/rules-of-verify.ts";
import { VERIFIED_WORLD } from "../../../test/verified-world.ts";
import { openStockEngine, type StockEngine } from "../../assembly/engine.ts";
import { SCOPES } from "../../glossary.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { openDatabase } from "../../ground/pg/connect.ts";
import { createCatalogCache } from "../../inventory/catalog/cache.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { newKeyRingEntry, parseKeyRing } from "../../partners/keys/key-ring.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import { emptyWorld } from "../import/entries.ts";
import { takeJson } from "../import/read-world.ts";
import { MAX_EXAMPLES, proveLedger, RULES, type Rule, verify } from "./verify.ts";

describe("holdfast verify", () => {
	let original: TestDatabase; // each test has a copy of it
	let database: TestDatabase;
	let engine: StockEngine;
	let caller: Caller;

	beforeAll(async () => {
		original = await openTestDatabase();
		database = original;
		const world = emptyWorld();
		expect(takeJson(world, "w.json", JSON.stringify(VERIFIED_WORLD))).toEqual([]);
		const ring = parseKeyRing(newKeyRingEntry());
		await importWorld(database.db, { ...SANDBOX_SETTINGS, openSandbox, ring, actor: "operator:ada" }, world);
		engine = openEngine();
		const key = await selectKey(database.db, "web");
		if (isRefusal(key)) throw new Error(key.message);
		caller = { ...key, scopes: new Set(SCOPES), brandCode: "ACME" };
		await proveLedger(database.db, NO_PDFS, {}); // leaves a seal before everything
		await live();
		await engine.close();
		await original.leave();
	});
	afterAll(() => original.close());
	beforeEach(async () => {
		database = await openTestDatabase(original.name);
		engine = openEngine();
	});
	afterEach(async () => {
		await engine.close();
		await database.close();
	});

	const openEngine = (): StockEngine =>
		openStockEngine(database.url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
	const origin = { actor: "key:test", requestId: null };
	const reserve = async (sku: string, qty: number, externalRef: string | null = null): Promise<string> => {
		const lines = [{ sku, qty, brandCode: undefined }];
		const answer = await engine.execute({
			...({ kind: "reserve", origin, caller, newToken: newId(), lines, ttlMinutes: 30, externalRef } as const),
		});
		if (isRefusal(answer)) throw new Error(answer.message);
		return answer.hold.reservationToken;
	};
	const lotId = async (batch: string): Promise<string> => {
		const { rows } = await database.db.query<{ fg_id: string }>("select fg_id from lot where batch_number = $1", [
			batch,
		]);
		return rows[0]?.fg_id ?? "";
	};
	/** Holds in every state, some of them displaced by a recall, one of them impaired. */
	const live = async (): Promise<void> => {
		await reserve("KIT", 5, "active");
		const released = await reserve("ONE", 3, "released");
		await engine.execute({ kind: "release", origin, caller, token: released });
		const consumed = await reserve("KIT", 4, "consumed");
		await engine.execute({ kind: "consume", origin, caller, token: consumed, externalRef: "sale-1" });
		const reversed = await reserve("ONE", 2);
		await engine.execute({ kind: "consume", origin, caller, token: reversed, externalRef: "sale-2" });
		await engine.execute({ kind: "reverse", origin, caller, externalRef: "sale-2" });
		const expired = await reserve("ONE", 6, "expired");
		await database.db.query("update hold set expires_at = now() where reservation_token = $1", [expired]);
		await engine.execute({ kind: "expire", origin, token: expired });
		await reserve("ONE", 20);
		await takeOutInSteps(database.db, {
			kind: "quarantine",
			origin,
			fgId: await lotId("F1"),
			units: "all",
			reason: "recall",
		});
		await takeOutInSteps(database.db, {
			kind: "destroy",
			origin,
			fgId: await lotId("F1"),
			units: 3,
			reason: "broken",
		});
		await restoreInSteps(database.db, { origin, fgId: await lotId("F1"), units: 2, reason: "found good" });
		await engine.execute({ kind: "correct", origin, fgId: await lotId("G1"), units: -4, reason: "recount" });
		await takeOutInSteps(database.db, {
			kind: "quarantine",
			origin,
			fgId: await lotId("G1"),
			units: 88,
			reason: "recall",
		});
	};
	const rulesBroken = async (): Promise<Rule[]> => (await verify(database.db)).differences.map(({ rule }) => rule);

	it("finds nothing wrong after holds in every state, a recall, a recount and an impaired hold", async () => {
		const verdict = await verify(database.db);
		expect(verdict.differences).toEqual([]);
		expect(verdict).toMatchObject({ ok: true, differences_count: 0, checked: { lots: 3, holds: 6, keys: 1 } });
		expect(verdict.checked.moves).toBeGreaterThan(15);
	});

	it("finds nothing wrong while a hold is past its end and nothing has swept it", async () => {
		await database.db.query("update hold set expires_at = now() where status = 'active'");
		await reserve("ONE", 1); // frees the units that it needs, and leaves the rest to the sweep
		expect(await rulesBroken()).toEqual([]);
	});

	/** Corrupts an index: new rows are left out of it, and afterwards it is marked as valid again. */
	const asleep = (index: string): string[] => [
		`update pg_index set indisready = false where indexrelid = '${index}'::regclass`,
	];
	const awake = (index: string): string[] => [
		`update pg_index set indisready = true where indexrelid = '${index}'::regclass`,
		// so that the planner prefers the index, as on a large table
		"do $$ begin execute format('alter database %I set enable_seqscan = off', current_database()); end $$",
	];
	const unlocked = "alter table unit_move disable trigger unit_move_append_only";
	const active = "(select reservation_token from hold where external_ref = 'active')";
	const consumed = "(select reservation_token from hold where external_ref = 'consumed')";
	const free = "(select fg_id from lot where batch_number = 'F2')";
	/** What was changed, how, and the rules that a whole run names; those that only it names. */
	const cases: [string, string[], Rule[], Rule[]?][] = [
		[
			"a balance changed by hand",
			[`update lot set available = available + 1, received = received + 1 where fg_id = ${free}`],
			["lot-balance", "receipt-units"],
		],
		[
			"units moved between buckets by hand",
			[`update lot set available = available - 1, held = held + 1 where fg_id = ${free}`],
			["lot-balance", "lot-parts"],
		],
		[
			"a lot that lost units",
			[
				"alter table lot drop constraint lot_conserves_units",
				`update lot set available = available - 1 where fg_id = ${free}`,
			],
			["lot-balance", "lot-conservation", "wall"],
		],
		[
			"a bucket below zero",
			[
				"alter table lot drop constraint lot_available_check",
				`update lot set available = -1, shipped = available + 1 where fg_id = ${free}`,
			],
			["lot-balance", "lot-negative", "lot-parts"],
			["lot-parts"],
		],
		["a move left out", [unlocked, "delete from unit_move where cause = 'correct'"], ["lot-balance", "wall"]],
		[
			"a move changed",
			[unlocked, "update unit_move set units = units + 1 where cause = 'reverse'"],
			["hold-returned", "lot-balance", "wall"],
		],
		[
			"moves of a lot that is gone",
			[`delete from lot where fg_id = ${free}`],
			["move-without-lot", "part-without-lot", "receipt-lot"],
		],
		[
			"a hold that is gone",
			["delete from hold where external_ref = 'released'"],
			["move-without-hold", "part-without-hold"],
		],
		[
			"a hold ended without freeing its units",
			[`update hold set status = 'released', ended_at = now() where external_ref = 'active'`],
			["hold-freed", "lot-parts"],
		],
		[
			"a hold that was released by the ledger and is active by its row",
			["update hold set status = 'active', ended_at = null where external_ref = 'released'"],
			["hold-freed", "lot-parts"],
		],
		[
			"a part freed without its units",
			[`update hold_part set own_state = 'freed' where reservation_token = ${active} and own_state is null`],
			["hold-freed", "lot-parts"], // by its state alone, it could have been freed at its hold's end before the clock stepped back
		],
		[
			"a consumed hold with a part that is placed",
			[
				`update hold_part set own_state = 'allocated' where reservation_token = ${consumed} and line = 0 and ordinal = 0`,
			],
			["hold-consumed", "hold-parts", "lot-parts"],
		],
		[
			"a part with more units than granted",
			[`update hold_part set units = units + 1 where reservation_token = ${active} and own_state is null`],
			["hold-granted", "lot-parts"],
		],
		[
			"a hold whose lines were changed",
			["update hold set lines = jsonb_set(lines, '{0,qty}', '99') where external_ref = 'active'"],
			["hold-granted", "hold-reserved"],
		],
		[
			"consumed units that do not add up",
			["update hold set consumed_units = consumed_units - 1 where external_ref = 'consumed'"],
			["hold-consumed"],
		],
		[
			"returned units nobody returned",
			["update hold set returned_units = 1 where external_ref = 'consumed'"],
			["hold-returned"],
		],
		["a hold of a key that is gone", ["delete from key_secret", "delete from api_key"], ["hold-without-key"]],
		[
			"a hold given to another partner",
			[
				"update hold set partner_id = (select partner_id from partner where name = 'Other') where external_ref = 'active'",
			],
			["hold-partner"],
		],
		[
			"two active holds under one reference",
			["drop index hold_active_ref", "update hold set external_ref = 'active' where status = 'active'"],
			["hold-ref-twice", "wall"],
		],
		[
			"two holds consumed under one reference",
			["drop index hold_consume_ref", "update hold set consume_ref = 'sale-1' where consume_ref is not null"],
			["consume-ref-twice", "wall"],
		],
		[
			"a second active hold under one reference that the index does not know",
			[
				...asleep("hold_active_ref"),
				"update hold set external_ref = 'active' where status = 'active'",
				...awake("hold_active_ref"),
			],
			["hold-ref-twice"],
		],
		[
			"a second hold consumed under one reference that the index does not know",
			[
				...asleep("hold_consume_ref"),
				"update hold set consume_ref = 'sale-1' where consume_ref is not null",
				...awake("hold_consume_ref"),
			],
			["consume-ref-twice"],
		],
		[
			"a second lot of one batch that the index does not know",
			[
				...asleep("lot_formula_id_pool_id_batch_number_key"),
				"update lot set batch_number = 'F2', pool_id = 0 where batch_number = 'F1'",
				...awake("lot_formula_id_pool_id_batch_number_key"),
			],
			["lot-label", "lot-twice", "part-lot", "receipt-lot"],
		],
		[
			"a hold on units of another brand, its books in step",
			[
				"insert into pool (pool_id, brand_code, name) values (90, 'BOLT', 'Bolt')",
				"update lot set pool_id = 90 where batch_number = 'G1'",
				"update hold_part set pool_id = 90 from lot where lot.fg_id = hold_part.fg_id and batch_number = 'G1'",
				"update receipt set pool_id = 90 from lot where lot.fg_id = receipt.fg_id and batch_number = 'G1'",
			],
			["lot-label", "part-pool"],
		],
		[
			"holds that say they may draw from another brand's pool",
			[
				"insert into pool (pool_id, brand_code, name) values (90, 'BOLT', 'Bolt')",
				`update hold set lines = jsonb_set(lines, '{0,pools}', lines->0->'pools' || '[90]') where external_ref = 'active'`,
			],
			["hold-pools"],
		],
		[
			"a hold on the shared pool of a key without access to it",
			["update api_key set shared_pool = false"],
			["hold-pools"],
		],
		[
			"a hold consumed after its end",
			["update hold set expires_at = ended_at where external_ref = 'consumed'"],
			["hold-late"],
		],
		[
			"a part on a lot of another formula",
			[
				`update hold_part set formula_id = (select formula_id from formula where code = 'G') where reservation_token = ${consumed} and fg_id in (select fg_id from lot where batch_number in ('F1', 'F2'))`,
			],
			["hold-granted", "part-lot"],
		],
		[
			"a draw-down that the ledger does not know",
			[`insert into draw_down values ('label:1', ${free}, 2)`],
			["draw-down", "lot-parts"],
			["draw-down", "lot-parts"],
		],
		[
			"demand of an order that nobody reported",
			[
				"insert into demand (formula_id, pool_id, reference, units, source) select formula_id, 0, 'label:1', 1, 'label' from formula limit 1",
			],
			["demand-order"],
		],
		[
			"shipped kits that were neither drawn down nor noted as an exception",
			[
				"insert into reported_order (reference, source, status, pending) values ('label:1', 'label', 'open', true)",
				"insert into reported_line values ('label:1', 'ONE', 0, 2, 1)",
			],
			["demand-exception"],
		],
		["a receipt changed by hand", [`update receipt set units_received = 41 where fg_id = ${free}`], ["receipt-units"]],
		["a recount that no receipt tells of", ["update receipt set units_corrected = 0"], ["receipt-units"]],
		["a lot without its receipt", [`delete from receipt where fg_id = ${free}`], ["receipt-units"]],
		["a receipt in another brand's list", [`update receipt set pool_id = 1 where fg_id = ${free}`], ["receipt-lot"]],
		["a receipt change nobody counted", ["update receipt set version = 1000 where units_corrected <> 0"], ["epoch"]],
		["a single SKU without a formula", ["delete from sku_component where sku = 'ONE'"], ["sku-recipe"]],
		["a catalogue change nobody counted", ["update sku set version = 1000 where sku = 'ONE'"], ["epoch"]],
		["a key change nobody counted", ["update api_key set version = 1000"], ["epoch"]],
		["a log of changes without the last", ["delete from epoch_log where epoch = 'key_epoch'"], ["epoch"]],
		[
			"an index that no longer refuses",
			["drop index hold_active_ref", "create index hold_active_ref on hold (key_id, external_ref)"],
			["wall"],
		],
		["orders whose numbers may repeat", ["drop index orders_of_key"], ["wall"]],
		[
			"a constraint nobody validated",
			["alter table hold add constraint late check (created_at > '1970-01-01') not valid"],
			["wall"],
		],
	];
	it.for(cases)("names %s", async ([, tampering, broken, onlyWhole = []]) => {
		for (const statement of tampering) await database.db.query(statement);
		const later = openDatabase(database.url, { max: 1 }); // a new connection, which has the changed settings of the database
		const [all, since] = [await verify(later), await proveLedger(later, NO_PDFS, { sinceSeal: true })];
		await later.close();
		expect(all.differences.map(({ rule }) => rule).toSorted()).toEqual(broken);
		expect(since.differences.map(({ rule }) => rule).toSorted()).toEqual(
			broken.filter((rule) => !onlyWhole.includes(rule)),
		);
	});

	it("has a case for every rule", () => {
		const here = new Set(cases.flatMap(([, , broken]) => broken));
		const others = Object.keys(RULES).filter((rule) => !here.has(rule as Rule));
		expect(others.toSorted()).toEqual(
			[
				...ORDER_RULES,
				...CERTIFICATE_RULES,
				...PROOF_RULES.filter((rule) => !here.has(rule)),
				"customer-erased", // verify-erased.test.ts
			].toSorted(),
		); // the other tests cover those
	});

	it("names the lot, what was expected and what was found, and counts what it does not name", async () => {
		await database.db.query(`update lot set available = available + 1, received = received + 1 where fg_id = ${free}`);
		const subject = `lot ${await lotId("F2")}`;
		const { ok, differences_count, differences } = await verify(database.db);
		expect({ ok, differences_count }).toEqual({ ok: false, differences_count: 3 });
		expect(differences[0]).toMatchObject({ rule: "lot-balance", meaning: RULES["lot-balance"], count: 2 });
		expect(differences[0]?.examples).toContainEqual({ subject: `${subject}, received`, expected: "40", found: "41" });
		const many = MAX_EXAMPLES + 5;
		await database.db.query(
			`insert into lot select gen_random_uuid(), formula_id, pool_id, 'X' || n, null, received_on, 1, 0, 1, 0, 0, 0, 0, 0, 0
			   from lot, generate_series(1, ${many}) n where batch_number = 'F2'`,
		);
		const again = await verify(database.db);
		expect(again.differences[0]?.count).toBe(2 + 2 * many);
		expect(again.differences[0]?.examples).toHaveLength(MAX_EXAMPLES);
	});
});
