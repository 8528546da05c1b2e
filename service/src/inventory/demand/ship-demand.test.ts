import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DemandWorld, operator, retryAll, settings } from "../../../test/demand-world.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { clearDemand, setDemand } from "../stock/set-demand.ts";
import { carryOut } from "./carry-out.ts";
import { listExceptions } from "./exceptions-sql.ts";
import { retryException } from "./retry-exceptions.ts";
import { shipDemand } from "./ship-demand.ts";

let world: DemandWorld;
beforeAll(async () => {
	world = await DemandWorld.open();
});
afterAll(() => world.close());
beforeEach(() => world.move());

describe("Demand that the operator entered", () => {
	const enter = (units: number, brandCode: string | null = "ACME", of = "PO") =>
		setDemand(world.database.db, [
			{ formula: `${world.town.name}-F0`, brandCode, reference: `${of} ${world.town.name}`, units },
		]);
	const ship = (shared = false) =>
		carryOut(world.database.db, (tx) =>
			shipDemand(tx, settings, { reference: `PO ${world.town.name}`, shared }, operator),
		);

	it("is listed without a source, and drawn down when it was shipped, once", async () => {
		await world.receive("lot", 9, "ACME");
		await enter(4);
		expect(await world.promised(`PO ${world.town.name}`)).toEqual(["null 4 F0 ACME"]);
		expect(await ship()).toMatchObject({
			drawnUnits: 4,
			missingUnits: 0,
			drawn: [{ fgId: world.town.id("lot"), units: 4 }],
		});
		expect(await world.promised(`PO ${world.town.name}`)).toEqual([]);
		expect(await ship()).toMatchObject({ refusal: "not_found" });
		expect(await world.lots("lot")).toEqual({ lot: "5/4" });
		const { rows } = await world.database.db.query("select distinct actor from unit_move where cause_id = $1", [
			`PO ${world.town.name}`,
		]);
		expect(rows).toEqual([{ actor: "operator:test" }]);
	});

	it("of two pools is drawn from each, and what is missing from either is an exception of its own", async () => {
		await world.receive("acme", 1, "ACME");
		await world.receive("shared", 2, "shared");
		await enter(2);
		await enter(3, null);
		expect(await ship()).toMatchObject({ drawnUnits: 3, missingUnits: 2 });
		expect((await world.exceptions(`PO ${world.town.name}`)).sort()).toEqual(["shortage 0/0/1", "shortage 0/0/1"]);
		await world.receive("late", 5, "shared");
		expect(await retryAll(world.database.db)).toMatchObject({
			drawnUnits: 1,
			missingUnits: 1,
		});
	});

	it("goes to the shared stock only when that is said", async () => {
		await world.receive("shared", 9, "shared");
		await enter(2);
		expect(await ship(true)).toMatchObject({ drawnUnits: 2, missingUnits: 0 });
	});

	it("that was shipped from the brand's stock alone can be drawn from the shared one afterwards", async () => {
		await world.receive("acme", 1, "ACME");
		await world.receive("shared", 2, "shared");
		await enter(5);
		expect(await ship()).toMatchObject({ drawnUnits: 1, missingUnits: 4 });
		const { items } = await listExceptions(world.database.db, {}, 10_000);
		const id = items.find(({ reference }) => reference === `PO ${world.town.name}`)?.exceptionId ?? 0;
		const retry = (shared: boolean) =>
			carryOut(world.database.db, (tx) => retryException(tx, settings, id, operator, shared));
		expect(await retry(false)).toMatchObject({ drawnUnits: 0, missingUnits: 4 });
		expect(await retry(true)).toMatchObject({ drawnUnits: 2, missingUnits: 2 });
		await world.receive("more", 9, "shared");
		expect(await retry(false)).toMatchObject({ drawnUnits: 2, missingUnits: 0 });
		expect(await world.exceptions(`PO ${world.town.name}`)).toEqual([]);
	});

	it("is not drawn down by hand when a platform reports it", async () => {
		await world.open(1, { one: 1 });
		expect(
			await carryOut(world.database.db, (tx) =>
				shipDemand(tx, settings, { reference: world.full, shared: false }, operator),
			),
		).toMatchObject({
			refusal: "wrong_state",
		});
		expect(await clearDemand(world.database.db, world.full)).toBe(1);
	});

	it("is shipped once by two who ship it at the same moment", async () => {
		await world.receive("lot", 9, "ACME");
		await enter(4);
		const answers = await Promise.all([ship(), ship()]);
		expect(answers.filter((answer) => isRefusal(answer))).toHaveLength(1);
		expect(await world.lots("lot")).toEqual({ lot: "5/4" });
	});
});
