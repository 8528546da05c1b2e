import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changeBox, changeOrder, placedFor } from "../../../test/contract/order-world.ts";
import { openWorld, type World } from "../../../test/contract/world.ts";
import { granted } from "../../../test/granted.ts";
import { type ChangeDeps, pickNamedOrder } from "./change-named.ts";
import { showOrder } from "./show-order.ts";

const SHIP = {
	kind: "ship",
	origin: { actor: "operator:test", requestId: null },
	items: null,
	carrierCode: null,
	serviceCode: null,
	trackingNumber: null,
} as const;

describe("Picking", () => {
	let world: World;
	let deps: ChangeDeps;
	let acme: string;
	beforeAll(async () => {
		world = await openWorld();
		deps = { db: world.db, engine: world.deps.engine };
		await world.has({ brands: [{ code: "ACME", name: "ACME" }] });
		acme = (await world.key({ brand: "ACME" })).token;
	});
	afterAll(() => world.stop());

	it("picks an order once, and says why it cannot", async () => {
		const [one, held] = [await placedFor(world, acme), await placedFor(world, acme)];
		granted(await changeOrder(world, held.ref, { kind: "holdOrder", reason: "operator", detail: null }));
		for (const changed of [true, false])
			expect(granted(await pickNamedOrder(deps, one.ref))).toMatchObject({ picked: true, status: "picked", changed });
		expect(await pickNamedOrder(deps, held.ref)).toMatchObject({
			refusal: "wrong_state",
			message: expect.stringContaining("is held and cannot be picked"),
		});
		expect(await pickNamedOrder(deps, "nobody")).toMatchObject({ refusal: "order_not_found" });
	});

	it("puts an order on hold whose lot passed its date, and says so", async () => {
		const { ref, lots } = await placedFor(world, acme, { lots: [{ brand: "ACME", units: 2 }] });
		await world.db.query("update lot set expires_on = (now() at time zone 'UTC')::date - 1 where fg_id = $1", [
			lots[0],
		]);
		const picked = granted(await pickNamedOrder(deps, ref));
		expect(picked).toMatchObject({ picked: false, status: "held", why: expect.stringContaining("passed its date") });
	});

	it.each([
		[
			"passed its date",
			"expires_on = (now() at time zone 'UTC')::date - 1",
			/^Put back 2 of batch .+ Take 2 of batch /,
		],
		["was recalled", "recalled_at = now()", /was recalled: put these 2 aside, .+ Take 2 of batch /],
	])("never records a lot that nobody took, because the lot that was taken %s", async (_, change, why) => {
		const of = (days: number) => ({ brand: "ACME", units: 2, expires: world.day(days) });
		const { ref, lots, order } = await placedFor(world, acme, { lots: [of(10), of(20)] });
		await world.db.query(`update lot set ${change} where fg_id = $1`, [lots[0]]);
		expect(granted(await pickNamedOrder(deps, ref))).toMatchObject({
			picked: false,
			status: "placed",
			why: expect.stringMatching(why),
		});
		expect(await changeBox(deps, ref, SHIP)).toMatchObject({
			refusal: "wrong_state",
			message: expect.stringContaining("pick it again"),
		});
		expect(granted(await pickNamedOrder(deps, ref))).toMatchObject({ picked: true, status: "picked", why: null });
		const { contents } = await showOrder(world.db, order.order_id);
		expect(contents.parts.filter(({ state }) => state === "allocated")).toMatchObject([{ fgId: lots[1], units: 2 }]);
	});
});
