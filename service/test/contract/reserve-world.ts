import { openWorld, type World } from "./world.ts";

/** Shared by the tests of reserve: a world, a key bound to ACME, and an unbound key. */
export async function openReserveWorld(): Promise<{ world: World; acme: string; unbound: string }> {
	const world = await openWorld();
	await world.has({
		brands: [
			{ code: "ACME", name: "Acme" },
			{ code: "BOLT", name: "Bolt" },
		],
		formulas: [
			{ code: "OLD", name: "Old", status: "archived" },
			{ code: "NEW", name: "New", status: "draft" },
			{ code: "F", name: "F", status: "active" },
		],
		skus: [
			{ sku: "ARCHIVED", name: "Archived", kind: "single", components: [{ formula: "OLD", per_kit: 1 }] },
			{ sku: "DRAFT", name: "Draft", kind: "single", components: [{ formula: "NEW", per_kit: 1 }] },
			{ sku: "FEE", name: "Fee", kind: "non_physical", components: [] },
			{ sku: "PLENTY", name: "Plenty", kind: "single", components: [{ formula: "F", per_kit: 1 }] },
		],
		lots: [
			{ formula: "F", brand_code: "ACME", batch_number: "PLENTY-A", units: 1_000_000 },
			{ formula: "F", brand_code: null, batch_number: "PLENTY-S", units: 1_000_000 },
			{ formula: "OLD", brand_code: "ACME", batch_number: "OLD-A", units: 10 },
		],
	});
	const [acme, unbound] = [await world.key({ brand: "ACME" }), await world.key()];
	return { world, acme: acme.token, unbound: unbound.token };
}
