import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { executeIn } from "../../../test/execute-in.ts";
import { type House, openHouse } from "../../../test/house.ts";
import { until } from "../../../test/processes/child.ts";
import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { openDatabase, type Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import type { ReceiveCommand } from "../../inventory/stock/receive.ts";

/** Work that runs beside an import: `stock receive`, partners, batches of keys with a cap. */
describe("An import beside", () => {
	let house: House;
	beforeEach(async () => {
		house = await openHouse();
	});
	afterEach(() => house.close());

	const FORMULA = { code: "F-ONE", name: "ONE", status: "active" };
	const lots = (units: Record<string, number>) => ({
		formulas: [FORMULA],
		lots: Object.entries(units).map(([batch_number, n]) => ({
			formula: FORMULA.code,
			brand_code: null,
			batch_number,
			units: n,
		})),
	});
	const one = async <R extends object>(text: string): Promise<R> => must((await house.db.query<R>(text)).rows[0], text);
	const received = async (batch: string): Promise<number> =>
		(await one<{ received: number }>(`select received from lot where batch_number = '${batch}'`)).received;
	const receive = async (tx: Query, batchNumber: string, units: number): Promise<void> => {
		const { formula_id: formulaId } = await one<{ formula_id: string }>(
			"select formula_id from formula where code = 'F-ONE'",
		);
		const lot = { newFgId: newId(), formulaId, poolId: 0, batchNumber, expiresOn: null, receivedOn: null, units };
		const command: ReceiveCommand = { kind: "receive", origin: { actor: "operator:cli", requestId: null }, ...lot };
		const [answer] = await executeIn(tx, [command]);
		expect(isRefusal(answer)).toBe(false);
	};
	/** Resolves when a statement of this kind waits for a lock. */
	const waits = (what: string): Promise<true> =>
		until(`${what} to wait for a lock`, async () => {
			const { rowCount } = await house.db.query(
				"select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query ilike $1",
				[`%${what}%`],
			);
			return rowCount === 1 || undefined;
		});

	it("`stock receive` brings a lot up to the figure of the file and no further, though it compared before", async () => {
		await house.importWorld(lots({ B: 90 }));
		let importing: Promise<unknown> = Promise.resolve();
		await transaction(house.db, async (tx) => {
			await receive(tx, "B", 4);
			importing = house.importWorld(lots({ B: 100 })); // compares with the 90 units received so far
			await waits("from lot l");
		});
		await importing;
		expect(await received("B")).toBe(100);
	});

	it("`stock receive` of a lot that is new to both does the same", async () => {
		await house.importWorld(lots({}));
		let importing: Promise<unknown> = Promise.resolve();
		await transaction(house.db, async (tx) => {
			await receive(tx, "B", 10);
			importing = house.importWorld(lots({ B: 100 })); // finds no such lot
			await waits("insert into lot");
		});
		await importing;
		expect(await received("B")).toBe(100);
	});

	it("a recall that comes between finds the new lot of its batch in quarantine: the import begins again", async () => {
		const ofBrand = (brand_code: string | null) => ({
			brands: [
				{
					code: "ACME",
					name: "Acme",
				},
			],
			formulas: [FORMULA],
			lots: [
				{
					formula: FORMULA.code,
					brand_code,
					batch_number: "B",
					units: 3,
				},
			],
		});
		const { lots: known } = await house.importWorld(ofBrand(null));
		const fgId = must(known[0]?.fg_id, "a lot");
		let importing: ReturnType<House["importWorld"]> | undefined;
		await transaction(house.db, async (tx) => {
			await tx.query("select from receipt_epoch for update");
			importing = house.importWorld(ofBrand("ACME")); // decides that the batch is good
			await waits("receipt");
			const origin = { actor: "operator:cli", requestId: null };
			const command = { kind: "recall", origin, fgIds: [fgId], reason: "bad", holders: [] } as const;
			expect(await executeIn(tx, [command])).toMatchObject([{ moved: 3 }]);
		});
		expect((await must(importing, "an import")).lots).toMatchObject([{ quarantined: true }]);
		const units = await house.db.query("select available, quarantined from lot where batch_number = 'B'");
		expect(units.rows).toEqual([
			{ available: 0, quarantined: 3 },
			{ available: 0, quarantined: 3 },
		]);
	});

	it("a file may come again after `stock receive`: what was received since is neither taken off nor asked for again", async () => {
		await house.importWorld(lots({ B: 215 }));
		await transaction(house.db, (tx) => receive(tx, "B", 10));
		for (const units of [215, 220, 225]) {
			expect((await house.importWorld(lots({ B: units }))).unchanged.lots).toBe(1);
			expect(await received("B")).toBe(225);
		}
		await expect(house.importWorld(lots({ B: 214 }))).rejects.toThrow(
			"imports have brought this lot 215 units, more than 214",
		);
		expect((await house.importWorld(lots({ B: 230 }))).changed.lots).toBe(1);
		expect(await received("B")).toBe(230);
	});

	it("a file that names very many lots with fewer units than were received is compared all the same", async () => {
		const many = Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`M${n}`, 5]));
		await house.importWorld(lots(many));
		await transaction(house.db, async (tx) => {
			for (const batch of ["M0", "M1099"]) await receive(tx, batch, 1);
		});
		expect((await house.importWorld(lots(many))).unchanged.lots).toBe(1_100);
		await house.db.query(
			"update lot set received = received + 1, available = available + 1 where batch_number like 'M%'",
		);
		expect((await house.importWorld(lots(many))).unchanged.lots).toBe(1_100);
	});

	it("partners waits for keys before it has locked any lot that they use, as their own batches do", async () => {
		await house.stock({ ONE: 10 });
		const { token } = await house.mint({ scopes: ["atp.reserve", "atp.check"] });
		const partners = [{ name: "Shop" }];
		const key = { partner: "Shop", shared_pool: false, scopes: ["atp.check"] };
		await house.importWorld({ partners, keys: [{ name: "try", environment: "sandbox", ...key }] });
		const stranger = openDatabase(house.url, { max: 1 });
		await stranger.query("begin");
		await stranger.query("select from api_key where environment = 'sandbox' for no key update"); // as a capped key's batch does
		const live = { name: "web", environment: "live", brand_code: null, ...key, shared_pool: true };
		const importing = house.importWorld({ ...lots({ B1: 12, NEW: 7 }), partners, keys: [live] });
		await waits("sandbox");
		const body = { items: [{ sku: "ONE", qty: 1 }] };
		expect((await house.call(token, "/api/v1/reserve", { body })).status).toBe(201);
		expect((await house.call(token, "/api/v1/check", { body })).status).toBe(200);
		await stranger.query("select from lot where batch_number = 'B1' for update nowait"); // and then its lots
		await stranger.query("commit");
		await stranger.close();
		await importing;
		expect([await received("B1"), await received("NEW")]).toEqual([12, 7]);
	});

	it("`stock receive` takes the numbers of receipts last, when it has every lot: nobody waits for them meanwhile", async () => {
		await house.importWorld(lots({ B1: 1, OTHER: 1 }));
		const stranger = openDatabase(house.url, { max: 1 });
		await stranger.query("begin");
		await stranger.query("select from lot where batch_number = 'B1' for update");
		const importing = house.importWorld(lots({ B1: 2, NEW: 3 })); // receives NEW, then waits for B1
		await waits("from lot l");
		await transaction(house.db, (tx) => receive(tx, "OTHER", 5));
		await stranger.query("commit");
		await stranger.close();
		await importing;
		const { rows } = await house.db.query<{ batch: string }>(
			"select batch_number as batch from receipt join lot using (fg_id) where formula_id = (select formula_id from formula where code = 'F-ONE') order by version",
		);
		expect(rows.map(({ batch }) => batch).slice(-3)).toEqual(["OTHER", "NEW", "B1"]);
	});

	it("others tops up lots in the order in which they are locked everywhere", async () => {
		const batches = Array.from({ length: 30 }, (_, n) => `B${n}`);
		for (const batch of batches.toReversed()) await house.importWorld(lots({ [batch]: 1 })); // ids in an order other than the file's
		await house.importWorld(lots(Object.fromEntries(batches.map((batch) => [batch, 2]))));
		const { rows } = await house.db.query<{ fg_id: string }>(
			"select fg_id from unit_move where units = 1 and actor = 'operator:test' order by seq desc limit 30",
		);
		const ids = rows.map(({ fg_id }) => fg_id).toReversed();
		expect(ids).toEqual(ids.toSorted());
	});
});
