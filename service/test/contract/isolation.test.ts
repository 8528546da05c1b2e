import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PARTNER_OPERATIONS } from "../../src/assembly/surfaces.ts";
import { Consume, FindHold, ReadHold, Release, Reserve, ReverseConsume } from "../../src/inventory/holds/contract.ts";
import {
	CancelOrder,
	CombineShipments,
	Confirm,
	GetOrder,
	ListOwnOrders,
	ListShipments,
	PlaceOrder,
} from "../../src/inventory/orders/contract.ts";
import { ReserveCache } from "../../src/inventory/prepaid/contract.ts";
import { Check, Inventory, Products, Receipts, Summary } from "../../src/inventory/stock/contract.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { Introspect } from "../../src/partners/keys/contract.ts";
import { newPk, newSk } from "../../src/partners/keys/token.ts";
import { ListVersions } from "../../src/partners/versions/contract.ts";
import { AdvanceSandbox } from "../../src/upkeep/sandbox/contract.ts";
import { sandboxCases } from "./isolation-sandbox.ts";
import { webhookCases } from "./isolation-webhooks.ts";
import { orderBody } from "./order-world.ts";
import { STRANGERS, told } from "./told.ts";
import { neverIssued, openWorld, unique, type World } from "./world.ts";

/*
 * Another key's objects are indistinguishable from objects that do not exist: every operation is called twice, once
 * about an object of the owner and once about one that never existed. Both replies must be identical to the byte,
 * except for values from the request itself.
 */

let world: World;
let owner: string;
const strangers = new Map<string, string>();
/** A SKU that both may sell. */
const sellable = new Map<string, string>();

beforeAll(async () => {
	world = await openWorld();
	await world.has({
		brands: [
			{ code: "ACME", name: "Acme" },
			{ code: "BOLT", name: "Bolt" },
		],
		formulas: [{ code: "F", name: "F", status: "active" }],
		skus: ["LIVE", "SBX-MINE"].map((sku) => ({
			sku,
			name: sku,
			kind: "single",
			components: [{ formula: "F", per_kit: 1 }],
		})),
		lots: ["ACME", "BOLT", "SANDBOX", null].map((brand_code) => ({
			formula: "F",
			brand_code,
			batch_number: `${brand_code}`,
			units: 1_000_000,
		})),
	});
	const [partner, other] = [world.partner(), world.partner()];
	owner = (await world.key({ partner, brand: "ACME" })).token;
	for (const name of STRANGERS) {
		const brand = /same brand/.test(name) ? "ACME" : /other brand/.test(name) ? "BOLT" : "SANDBOX";
		const bound = name.includes("unbound") ? {} : { brand };
		const { token } = await world.key({ partner: name.startsWith("same partner") ? partner : other, ...bound });
		strangers.set(name, token);
		sellable.set(name, name.includes("sandbox") ? "SBX-MINE" : "LIVE");
	}
});
afterAll(() => world.stop());

/** The owner's objects, with holds in every state. */
const STATES = ["active", "past its end", "released", "consumed", "reversed"] as const;

async function ownersHold(state: (typeof STATES)[number]) {
	const [cart, sale] = [unique("cart"), unique("sale")];
	const { data } = await world.call(Reserve, owner, { items: [{ sku: "LIVE", qty: 1 }], external_ref: cart });
	const { reservation_token } = data;
	if (state === "past its end") await world.lapse(reservation_token);
	if (state === "released") await world.call(Release, owner, { reservation_token });
	if (state === "consumed" || state === "reversed") {
		await world.call(Consume, owner, { reservation_token, external_ref: sale });
	}
	if (state === "reversed") await world.call(ReverseConsume, owner, { external_ref: sale });
	return { token: reservation_token, cart, sale };
}

async function same(
	operation: Operation,
	key: string,
	about: {
		theirs: unknown;
		nobodys: unknown;
		named?: readonly [theirs: string, nobodys: string];
		paths?: readonly [theirs: string, nobodys: string];
		headers?: Record<string, string>;
	},
): Promise<void> {
	const ask = async (given: unknown, which: 0 | 1) => {
		const { named, paths, headers = {} } = about;
		const path = paths?.[which];
		const answer = await world.send(operation, key, given, { headers, ...(path === undefined ? {} : { path }) });
		return told(answer, named?.[which] ?? "\u0000");
	};
	const nobodys = await ask(about.nobodys, 1);
	const theirs = await ask(about.theirs, 0);
	expect(theirs).toEqual(nobodys);
}

type Cases = (stranger: string, key: string) => Promise<void>;

/**
 * For each operation, how another caller requests the owner's objects. An operation that is missing here fails the
 * first test below.
 */
const CASES: Record<string, Cases> = {
	[Release.id]: async (_stranger, key) => {
		for (const state of STATES) {
			const { token } = await ownersHold(state);
			await same(Release, key, { theirs: { reservation_token: token }, nobodys: { reservation_token: neverIssued() } });
		}
	},
	[Consume.id]: async (stranger, key) => {
		for (const state of STATES) {
			const { token, cart, sale } = await ownersHold(state);
			for (const external_ref of [cart, sale, unique("mine")]) {
				await same(Consume, key, {
					theirs: { reservation_token: token, external_ref },
					nobodys: { reservation_token: neverIssued(), external_ref },
				});
			}
		}
		// a hold of its own, under a reference of one of the owner's consumes
		const { sale } = await ownersHold("consumed");
		const fresh = unique("sale").padEnd(sale.length, "x").slice(0, sale.length);
		const mine = async (): Promise<string> =>
			(await world.call(Reserve, key, { items: [{ sku: sellable.get(stranger) as string, qty: 1 }] })).data
				.reservation_token;
		await same(Consume, key, {
			theirs: { reservation_token: await mine(), external_ref: sale },
			nobodys: { reservation_token: await mine(), external_ref: fresh },
			named: [sale, fresh],
		});
	},
	[ReverseConsume.id]: async (_stranger, key) => {
		for (const state of STATES) {
			const { cart, sale } = await ownersHold(state);
			for (const external_ref of [cart, sale]) {
				await same(ReverseConsume, key, { theirs: { external_ref }, nobodys: { external_ref: unique("never") } });
			}
		}
	},
	[ReadHold.id]: async (_stranger, key) => {
		for (const state of STATES) {
			const { token } = await ownersHold(state);
			const ask = async (reservation_token: string) =>
				told(await world.send(ReadHold, key, undefined, { params: { reservation_token } }));
			expect(await ask(token)).toEqual(await ask(neverIssued()));
		}
	},
	[FindHold.id]: async (_stranger, key) => {
		for (const state of STATES) {
			const { cart, sale } = await ownersHold(state);
			for (const external_ref of [cart, sale]) {
				await same(FindHold, key, { theirs: { external_ref }, nobodys: { external_ref: unique("never") } });
			}
		}
	},
	[Reserve.id]: async (stranger, key) => {
		const sku = sellable.get(stranger) as string;
		for (const state of STATES) {
			const { cart, sale } = await ownersHold(state);
			for (const external_ref of [cart, sale]) {
				await same(Reserve, key, {
					theirs: { items: [{ sku, qty: 1 }], external_ref },
					nobodys: { items: [{ sku, qty: 1 }], external_ref: unique("never") },
				});
			}
		}
		await forForeignNames(stranger, key, (name) => ({ items: [{ sku: name, qty: 1 }] }), Reserve);
		await forForeignBrands(stranger, key, (brand_code) => ({ items: [{ sku, qty: 1, brand_code }] }), Reserve);
	},
	[Check.id]: async (stranger, key) => {
		const sku = sellable.get(stranger) as string;
		await forForeignNames(stranger, key, (name) => ({ items: [{ sku: name, qty: 1 }] }), Check);
		await forForeignBrands(stranger, key, (brand_code) => ({ items: [{ sku, qty: 1, brand_code }] }), Check);
	},
	[Inventory.id]: async (stranger, key) => {
		const sku = sellable.get(stranger) as string;
		await forForeignNames(stranger, key, (name) => ({ sku: name }), Inventory);
		await forForeignBrands(stranger, key, (brand_code) => ({ sku, brand_code }), Inventory);
	},
	[Products.id]: async (stranger, key) => {
		await forForeignNames(stranger, key, (name) => ({ sku: name }), Products);
		await forForeignBrands(stranger, key, (brand_code) => ({ brand_code }), Products);
		await forForeignCursors(stranger, key, Products);
	},
	[Summary.id]: async (stranger, key) => {
		await forForeignBrands(stranger, key, (brand_code) => ({ brand_code }), Summary);
		await forForeignCursors(stranger, key, Summary);
	},
	[Receipts.id]: async (stranger, key) => {
		const mine = stranger.includes("unbound") ? { brand_code: "BOLT" } : {};
		await forForeignNames(stranger, key, (sku) => ({ ...mine, sku }), Receipts);
		await forForeignBrands(stranger, key, (brand_code) => ({ brand_code }), Receipts);
		await forForeignCursors(stranger, key, Receipts);
		const [theirs, nobodys] = stranger.includes("same brand") ? ["BOLT", "BELT"] : ["ACME", "ACNE"];
		const batch = (batch_number = "") => ({ ...mine, batch_number });
		await same(Receipts, key, { theirs: batch(theirs), nobodys: batch(nobodys) });
	},
	[ReserveCache.id]: async (stranger, key) => {
		const brand_code = /same brand/.test(stranger) ? "ACME" : /sandbox/.test(stranger) ? "SANDBOX" : "BOLT";
		const push = { sequence: 0, as_of: "2026-09-06T12:00:00Z", items: [] as unknown[] };
		const naming = (sku: string) => ({ ...push, brand_code, items: [{ sku, prepaid_units: 1 }] });
		await forForeignNames(stranger, key, naming, ReserveCache);
		await forForeignBrands(stranger, key, (brand_code) => ({ ...push, brand_code }), ReserveCache);
	},
	[Introspect.id]: async (stranger, key) => {
		if (stranger.startsWith("same partner")) return; // may read it
		await same(Introspect, key, {
			theirs: { token: owner },
			nobodys: { token: `${newPk("live")}:${newSk("live")}` },
		});
	},
	[PlaceOrder.id]: async (stranger, key) => await forPlacing(PlaceOrder, stranger, key),
	[Confirm.id]: async (stranger, key) => await forPlacing(Confirm, stranger, key),
	[GetOrder.id]: async (stranger, key) => {
		await forForeignOrders(stranger, async (theirs, nobodys) => {
			await same(GetOrder, key, {
				theirs: undefined,
				nobodys: undefined,
				paths: [`/api/v1/orders/${theirs}`, `/api/v1/orders/${nobodys}`],
			});
		});
	},
	[ListOwnOrders.id]: async (stranger, key) =>
		await forForeignOrders(stranger, async (theirs) => expect(await listed(key)).not.toContain(theirs)),
	[CancelOrder.id]: async (stranger, key) => {
		await forForeignOrders(stranger, async (theirs, nobodys) => {
			const paths = [`/api/v1/orders/${theirs}/cancel`, `/api/v1/orders/${nobodys}/cancel`] as const;
			await same(CancelOrder, key, { theirs: {}, nobodys: {}, paths });
		});
	},
	[CombineShipments.id]: async (stranger, key) => {
		await forForeignOrders(stranger, async (theirs, nobodys) => {
			const refs = (ref: string) => ({ order_refs: [ref, ref] });
			await same(CombineShipments, key, { theirs: refs(theirs), nobodys: refs(nobodys) });
		});
	},
	[ListShipments.id]: async (stranger, key) => {
		const named = stranger.includes("unbound") ? { brand_code: "BOLT" } : {};
		await forForeignOrders("other partner", async (theirs, nobodys) => {
			await same(ListShipments, key, {
				theirs: { ...named, order_ref: theirs },
				nobodys: { ...named, order_ref: nobodys },
			});
		});
		await forForeignBrands(stranger, key, (brand_code) => ({ brand_code }), ListShipments);
	},
	[AdvanceSandbox.id]: async (_stranger, key) => {
		for (const state of STATES) {
			const { token } = await ownersHold(state);
			await same(AdvanceSandbox, key, {
				theirs: { reservation_token: token, to: "expired" },
				nobodys: { reservation_token: neverIssued(), to: "expired" },
			});
		}
		// also for another key of the partner
		await forForeignOrders("other partner", async (theirs, nobodys) => {
			for (const to of ["picked", "shipped", "held"]) {
				await same(AdvanceSandbox, key, { theirs: { order_ref: theirs, to }, nobodys: { order_ref: nobodys, to } });
			}
		});
	},
	...sandboxCases(() => ({ world, owner }), { same, ownersHold }),
	...webhookCases(() => ({ world, owner })),
	[ListVersions.id]: async (_stranger, key) => {
		const [mine, nobodys] = [
			await world.send(ListVersions, key, undefined),
			await world.send(ListVersions, null, undefined),
		];
		expect(told(mine)).toEqual(told(nobodys));
	},
};

/** Another partner's hold. A key of the same partner learns that another key made it (settlements, section 5). */
async function forPlacing(operation: Operation, stranger: string, key: string): Promise<void> {
	if (stranger.startsWith("same partner")) return;
	for (const state of STATES) {
		const { token } = await ownersHold(state);
		const headers = { "idempotency-key": unique("order") };
		await same(operation, key, { theirs: orderBody(token), nobodys: orderBody(neverIssued()), headers });
	}
}

/** An order of the owner, by its Idempotency-Key and, for other partners, by its id. */
const listed = async (key: string) => (await world.call(ListOwnOrders, key, { limit: 500 })).text;
async function forForeignOrders(
	stranger: string,
	ask: (theirs: string, nobodys: string) => Promise<void>,
): Promise<void> {
	const { token } = await ownersHold("active");
	const ref = unique("order");
	const { data } = await world.call(PlaceOrder, owner, orderBody(token), { headers: { "idempotency-key": ref } });
	await ask(ref, unique("order"));
	if (stranger.startsWith("other partner")) await ask(data.order_id, neverIssued());
}

/** SKUs of the other environment, compared with names that do not exist. */
async function forForeignNames(
	stranger: string,
	key: string,
	given: (name: string) => unknown,
	operation: Operation,
): Promise<void> {
	const [theirs, nobodys] = stranger.includes("sandbox") ? ["LIVE", "LOVE"] : ["SBX-MINE", "SBX-MIME"];
	await same(operation, key, {
		theirs: given(theirs as string),
		nobodys: given(nobodys as string),
		named: [theirs as string, nobodys as string],
	});
}

/** A cursor of the owner, compared with one that was never created. */
async function forForeignCursors(stranger: string, key: string, operation: Operation): Promise<void> {
	const mine = stranger.includes("unbound") && operation !== Products ? { brand_code: "BOLT" } : {};
	const { next_cursor } = (await world.send(operation, owner, {})).data as { next_cursor: string };
	const invented = Buffer.from(Buffer.from(next_cursor, "base64url").toReversed()).toString("base64url");
	await same(operation, key, { theirs: { ...mine, cursor: next_cursor }, nobodys: { ...mine, cursor: invented } });
}

/** A bound key names a brand that exists, compared with one that does not. An unbound key may name any brand. */
async function forForeignBrands(
	stranger: string,
	key: string,
	given: (brand: string) => unknown,
	operation: Operation,
): Promise<void> {
	if (stranger.includes("unbound")) return;
	const theirs = stranger.includes("same brand") ? "BOLT" : "ACME";
	await same(operation, key, { theirs: given(theirs), nobodys: given("NOPE"), named: [theirs, "NOPE"] });
}

describe("Another key's things look exactly like things that do not exist", () => {
	it("every operation has its case here", () => {
		expect(Object.keys(CASES).toSorted()).toEqual(PARTNER_OPERATIONS.map(({ id }) => id).toSorted());
	});

	it.each(Object.keys(CASES).flatMap((id) => STRANGERS.map((name) => [id, name] as const)))(
		"%s: %s",
		async (id, name) => {
			await CASES[id]?.(name, strangers.get(name) as string);
		},
	);

	it("to the owner they do exist: the cases above can tell", async () => {
		const { token } = await ownersHold("active");
		await expect(
			same(Release, owner, { theirs: { reservation_token: token }, nobodys: { reservation_token: neverIssued() } }),
		).rejects.toThrow();
		const { sale } = await ownersHold("consumed");
		await expect(
			same(ReverseConsume, owner, { theirs: { external_ref: sale }, nobodys: { external_ref: unique("never") } }),
		).rejects.toThrow();
	});
});

describe("Nothing a stranger sends changes what is the owner's", () => {
	it("after every attempt the owner's holds, parts and lots are as they were", async () => {
		const holds = await Promise.all(STATES.map(ownersHold));
		const picture = async () => {
			const tokens = holds.map(({ token }) => token);
			const { rows } = await world.db.query(
				"select h.*, (select json_agg(p order by p.ordinal) from hold_part p where p.reservation_token = h.reservation_token) as parts from hold h where h.reservation_token = any($1) order by 1",
				[tokens],
			);
			return rows;
		};
		await new Promise((resolve) => setTimeout(resolve, 2_000)); // the sweep may still end expired holds
		const before = await picture();
		for (const key of strangers.values()) {
			for (const { token, cart, sale } of holds) {
				await world.call(Release, key, { reservation_token: token });
				await world.call(ReadHold, key, undefined, { params: { reservation_token: token } });
				for (const external_ref of [cart, sale]) {
					await world.call(FindHold, key, { external_ref });
					await world.call(Consume, key, { reservation_token: token, external_ref });
					await world.call(ReverseConsume, key, { external_ref });
				}
			}
		}
		expect(await picture()).toEqual(before);
		expect(await world.audit()).toEqual([]);
	});
});
