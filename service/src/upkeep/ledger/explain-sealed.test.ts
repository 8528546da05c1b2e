import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restoredWorld } from "../../../test/changed-by-sql.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { type Explanation, explain } from "./explain.ts";
import { sealLedger } from "./seal-ledger.ts";

describe("holdfast explain, where a seal has the sums of earlier moves", () => {
	let world: TestDatabase;
	beforeAll(async () => {
		const restored = await restoredWorld();
		world = await openTestDatabase(restored.name);
		await world.db.query("delete from ledger_seal; delete from history_digest");
		await restored.close();
	});
	afterAll(() => world.close());

	const numbers = async (text: string): Promise<number[]> =>
		(await world.db.query<{ n: number }>(text)).rows.map(({ n }) => n);

	/** Each SKU at each moment at which units moved, a moment before the first, and now. */
	async function explanations(): Promise<Explanation[]> {
		const { rows: skus } = await world.db.query<{ sku: string }>(
			"select sku from sku where sku not like 'SBX-%' and kind <> 'non_physical' order by sku",
		);
		const { rows: moments } = await world.db.query<{ at: Date }>(
			`select distinct date_trunc('milliseconds', at) + interval '1 millisecond' as at from unit_move
			 union select min(at) - interval '1 hour' from unit_move union select date_trunc('hour', now()) order by 1`,
		);
		const told: Explanation[] = [];
		for (const { sku } of skus)
			for (const { at } of moments) {
				const question = { sku, caller: null, brandCode: undefined, at, certificatesRequired: false };
				const explanation = await explain(world.db, "UTC", question);
				if (isRefusal(explanation)) throw new Error(explanation.message);
				told.push(explanation);
			}
		return told;
	}

	it("says the same as the whole ledger, at moments before the seal and after it", async () => {
		const expected = await explanations();
		const totals = new Set(expected.map(({ counts }) => counts.available_qty));
		expect(totals.size).toBeGreaterThan(3);
		// digests of the first third of the moves, made at the time of its last move; a seal at the second third
		const moves = await numbers("select seq as n from unit_move order by seq");
		const [third = 0, sealed = 0] = [moves[Math.floor(moves.length / 3)], moves[Math.floor((moves.length * 2) / 3)]];
		await world.db.query(
			`insert into history_digest (kind, after, upto, rows, digest, made_at)
			 select 'move', 0, $1, count(*), 0, max(at) from unit_move where seq <= $1`,
			[third],
		);
		const reach = { madeAt: new Date(0), movesUpto: sealed, eventsUpto: 0, changesUpto: 0, certificatesUpto: 0 };
		expect(await sealLedger(world.db, { last: null, reach, isWhole: true, isAnew: false })).toMatchObject({ seal: 1 });
		expect(await explanations()).toEqual(expected);
		// proves that the sums are used
		await world.db.query("update lot_seal set units = units + 1 where bucket = 'available'");
		expect(await explanations()).not.toEqual(expected);
	});
});
