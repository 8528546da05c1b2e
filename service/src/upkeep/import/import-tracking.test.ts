import { afterAll, beforeAll, expect, it } from "vitest";
import { changeOrder, placedFor } from "../../../test/contract/order-world.ts";
import { openWorld, type World } from "../../../test/contract/world.ts";
import type { ShipCommand } from "../../inventory/orders/ship.ts";
import { createTrackingUrls } from "../../inventory/shipping/carriers.ts";
import { importTracking, lookAtTracking, readTracking, unchangedReport } from "./import-tracking.ts";

const origin = { actor: "operator:test", requestId: null };
const MEANT = { otherCarrier: false, sameParcel: false };

let world: World;
let token: string;
beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	token = (await world.key({ brand: "ACME" })).token;
});
afterAll(() => world.stop());

const read = (...lines: string[]) =>
	readTracking("t.csv", Buffer.from(`order,carrier,service,tracking\n${lines.join("\n")}\n`));
async function lookAt(...lines: string[]) {
	const state = await lookAtTracking(world.db, createTrackingUrls({}), read(...lines), MEANT);
	if ("problems" in state) throw new Error(JSON.stringify(state.problems));
	return state;
}
const execute = (commands: readonly ShipCommand[]) =>
	Promise.all(commands.map((command) => world.deps.engine.execute(command)));

it("a box that changed after the look is refused with each of its lines, the others are shipped, and again ships the rest", async () => {
	const order = () => placedFor(world, token, { qty: 1 });
	const [held, good] = [await order(), await order()];
	const lines = [`${held.ref},ups,,1Z1`, `${good.ref},ups,,1Z2`, `${held.order.order_id},ups,,1Z1`];
	const state = await lookAt(...lines);
	expect(unchangedReport(state)).toBeNull();
	await changeOrder(world, held.ref, { kind: "holdOrder", reason: "operator", detail: null });
	const step = await importTracking({ db: world.db, execute }, state, origin);
	expect(step).toMatchObject({ isEnd: true, done: 3, of: 3, result: { shipped: 1, unchanged: 0, refused: 2 } });
	expect(step.state.items.map(({ line, outcome, shipment_id }) => [line, outcome, shipment_id === null])).toEqual([
		[2, "refused", true],
		[3, "shipped", false],
		[4, "refused", true],
	]);
	expect(step.state.items[0]?.message).toContain("held");
	await changeOrder(world, held.ref, { kind: "releaseOrder", origin });
	const rest = await importTracking({ db: world.db, execute }, await lookAt(...lines), origin);
	expect(rest.result).toMatchObject({ shipped: 1, unchanged: 2, refused: 0 });
	expect(unchangedReport(await lookAt(...lines))).toMatchObject({ unchanged: 3 });
});

it("a box that is packed differently between the look and the command is read again, and shipped with all of it", async () => {
	const order = () => placedFor(world, token, { qty: 1 });
	const [first, second] = [await order(), await order()];
	const state = await lookAt(`${first.ref},ups,,1Z8`);
	let isPacked = false;
	const packFirst: typeof execute = async (commands) => {
		if (!isPacked) {
			isPacked = true;
			const orderIds = [first, second].map((one) => one.order.order_id);
			expect(await world.deps.engine.execute({ kind: "combine", orderIds })).not.toHaveProperty("refusal");
		}
		return await execute(commands);
	};
	const { result } = await importTracking({ db: world.db, execute: packFirst }, state, origin);
	expect(result).toMatchObject({ shipped: 1, refused: 0 });
	const { rows } = await world.db.query("select distinct status from orders where ref in ($1, $2)", [
		first.ref,
		second.ref,
	]);
	expect(rows).toEqual([{ status: "shipped" }]);
});

it("a file with more lines than one import takes is refused, and says how many it takes", () => {
	const { parcels, problems } = read(...Array.from({ length: 10_001 }, (_, n) => `o-${n},,,t-${n}`));
	expect(parcels).toEqual([]);
	expect(problems).toEqual([{ at: "t.csv", message: "has 10001 lines, more than 10000: split it into several files" }]);
});

it("a NUL in a cell is a problem of its line, before the database sees it", () => {
	const { parcels, problems } = read("a,ups,,1Z1", "b\0,ups,,1Z2", "c,u\0ps,,1Z3");
	expect(parcels).toHaveLength(1);
	expect(problems.map(({ message }) => message)).toEqual(["contains a NUL character", "contains a NUL character"]);
});
