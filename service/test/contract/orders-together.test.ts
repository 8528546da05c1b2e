import { afterAll, beforeAll, expect, it } from "vitest";
import { PlaceOrder } from "../../src/orders/contract.ts";
import { CUSTOMER, heldFor } from "./order-world.ts";
import { openWorld, unique, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
});
afterAll(() => world.stop());

/** Of each kind at a time: enough that many of them are decided in one batch. */
const EACH = 8;

it.each([
	["its owner", true],
	["each other alone", false],
])(
	"who asks for a hold in one batch with %s is answered as ever: 403 for the partner's other key, 404 for a stranger",
	async (_, withOwner) => {
		const partner = unique("partner");
		const owner = await world.key({ brand: "ACME", partner });
		const sibling = await world.key({ brand: "ACME", partner });
		const stranger = await world.key({ brand: "ACME" });
		const { token } = await heldFor(world, owner.token);
		const place = async (key: string) => {
			const body = { reservation_token: token, customer: CUSTOMER };
			return (await world.call(PlaceOrder, key, body, { headers: { "idempotency-key": unique("cart") } })).verdict;
		};
		const askers = Array.from({ length: EACH }, () => [...(withOwner ? [owner] : []), sibling, stranger]).flat();
		const verdicts = await Promise.all(askers.map(async (asker) => ({ asker, verdict: await place(asker.token) })));
		const of = (one: typeof owner) =>
			new Set(verdicts.filter(({ asker }) => asker === one).map(({ verdict }) => verdict));
		expect(of(owner)).toEqual(new Set(withOwner ? ["201", "409 reservation_used"] : []));
		expect(of(sibling)).toEqual(new Set(["403 reservation_forbidden"]));
		expect(of(stranger)).toEqual(new Set(["404 reservation_not_found"]));
	},
);
