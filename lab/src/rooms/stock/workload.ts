/** Partners' requests about stock. */
import type { Ask, Operation, Situation } from "../room.ts";

/** Maximum number of lines of a check. */
const MOST_LINES = 4;
/** Share of requests that name the brand. */
const BRAND_NAMED = 0.25;

/** A brand that the key may name, or none. */
function brandOf({ actor, world, chance }: Situation): string | null {
	if (!chance.happens(BRAND_NAMED)) return null;
	if (actor.brand !== null) return actor.brand;
	return actor.shared ? chance.pick(world.brands) : null;
}

function check(situation: Situation): Ask {
	const { world, chance } = situation;
	const items = Array.from({ length: chance.between(1, MOST_LINES) }, () => {
		const brand = brandOf(situation);
		return { sku: chance.pick(world.skus).sku, qty: 1, ...(brand === null ? {} : { brand_code: brand }) };
	});
	return { method: "POST", path: "/api/v1/check", body: { items }, repeatable: true };
}

function inventory(situation: Situation): Ask {
	const query = new URLSearchParams({ sku: situation.chance.pick(situation.world.skus).sku });
	const brand = brandOf(situation);
	if (brand !== null) query.set("brand_code", brand);
	return { method: "GET", path: `/api/v1/inventory?${query.toString()}`, repeatable: true };
}

const products = (): Ask => ({ method: "GET", path: "/api/v1/products", repeatable: true });

export const STOCK_OPERATIONS: readonly Operation[] = [
	{ name: "check", weight: 18, leastDone: 0.95, build: check },
	{ name: "inventory", weight: 7, leastDone: 0.95, build: inventory },
	{ name: "products", weight: 1, leastDone: 0.95, build: products },
];
