import type { Command } from "../../src/assembly/commands.ts";
import { PORTLAND } from "../model/script-orders.ts";
import { POOLS, type Town } from "../model/town.ts";

/*
 * The operations on the orders of a town, and the town's initial state. Lot 0 has 5 units, all of the first hold; lot 1
 * has 4, of which the second and the third hold have one each. So a recall of two units of lot 0 finds replacements,
 * and a recall of all five does not.
 */

export const OPERATIONS = {
	place: 6,
	"place under another key": 6,
	"place another hold": 6,
	consume: 5,
	release: 5,
	expire: 5,
	recall: 9,
	"recall two": 9,
	cancel: 7,
	"cancel the second": 7,
	hold: 5,
	"release the order": 7,
	pick: 7,
	ship: 7,
	"ship one": 7,
	"ship both": 7,
	void: 7,
	"combine 1 + 2": 5,
	"combine 2 + 1": 5,
	"combine 2 + 3": 5,
} as const satisfies { readonly [operation: string]: number };
/**
 * Each with the number of its steps if nothing is in its way; the possible steps are look, lots, look again, holds,
 * orders, boxes, read, write, commit.
 */
export type Operation = keyof typeof OPERATIONS;

/** The state of the town when the two operations begin. */
export type Before =
	| "a hold"
	| "a hold past its end"
	| "orders"
	| "a held order"
	| "a part shipped"
	| "a part shipped, the rest to be picked again"
	| "two in one box";

export const PAIRS: readonly (readonly [Operation, Operation, Before])[] = [
	["place", "place", "a hold"],
	["place", "place under another key", "a hold"],
	["place", "place another hold", "a hold"],
	["place", "consume", "a hold"],
	["place", "release", "a hold"],
	["place", "expire", "a hold past its end"],
	["place", "recall", "a hold"],
	["place", "recall two", "a hold"],
	["place", "place", "orders"],
	["cancel", "cancel", "orders"],
	["cancel", "pick", "orders"],
	["cancel", "recall", "orders"],
	["cancel", "hold", "orders"],
	["place", "cancel", "orders"],
	["ship", "cancel", "orders"],
	["ship one", "cancel", "orders"],
	["ship", "ship one", "orders"],
	["ship", "recall", "orders"],
	["ship", "recall two", "orders"],
	["pick", "recall two", "orders"],
	["hold", "pick", "orders"],
	["hold", "ship", "orders"],
	["hold", "recall", "orders"],
	["release the order", "recall", "a held order"],
	["release the order", "cancel", "a held order"],
	["void", "ship", "a part shipped"],
	["void", "void", "a part shipped"],
	["void", "recall", "a part shipped"],
	["ship", "recall two", "a part shipped"],
	["ship one", "recall two", "a part shipped"],
	["pick", "ship one", "a part shipped, the rest to be picked again"],
	["pick", "void", "a part shipped, the rest to be picked again"],
	["pick", "recall", "a part shipped, the rest to be picked again"],
	["combine 1 + 2", "combine 2 + 1", "orders"],
	["combine 1 + 2", "combine 2 + 3", "orders"],
	["combine 1 + 2", "cancel", "orders"],
	["combine 1 + 2", "cancel the second", "orders"],
	["combine 1 + 2", "ship", "orders"],
	["combine 1 + 2", "hold", "orders"],
	["combine 1 + 2", "recall", "orders"],
	["ship both", "cancel", "two in one box"],
	["ship both", "recall", "two in one box"],
	["cancel", "cancel the second", "two in one box"],
];

const origin = { actor: "operator:test", requestId: null };

/** Units of the three holds. */
export const HOLDS = [5, 1, 1];
const holdName = (n: number): string => `hold ${n}`;
export const tokensOf = (town: Town): string[] => HOLDS.map((_, n) => town.id(holdName(n)));

export const expireOf = (town: Town): Command => ({ kind: "expire", origin, token: town.id(holdName(0)) });

/** The commands before the two operations. */
export function past(town: Town, before: Before): Command[] {
	const commands: Command[] = [
		...[5, 4].map(
			(units, n): Command => ({
				kind: "receive",
				origin,
				newFgId: town.id(`lot ${n}`),
				formulaId: town.id("F0"),
				poolId: POOLS.ACME,
				batchNumber: `b${n}`,
				expiresOn: `203${n}-01-01`,
				receivedOn: "2026-01-01",
				units,
			}),
		),
		...HOLDS.map(
			(qty, n): Command => ({
				kind: "reserve",
				origin,
				caller: town.callers.acme,
				newToken: town.id(holdName(n)),
				ttlMinutes: 30,
				lines: [
					{
						sku: `${town.name}-one`,
						qty,
						brandCode: undefined,
					},
				],
				externalRef: null,
			}),
		),
	];
	if (before === "a hold" || before === "a hold past its end") return commands;
	commands.push(...HOLDS.map((_, n) => place(town, n, `cart ${n}`, "before")));
	if (before === "a held order") commands.push(commandOf(town, "hold", "before"));
	if (before.startsWith("a part shipped")) commands.push(commandOf(town, "ship one", "before"));
	if (before.endsWith("to be picked again")) commands.push(commandOf(town, "recall two", "before"));
	if (before === "two in one box") commands.push(commandOf(town, "combine 1 + 2", "before"));
	return commands;
}

function place(town: Town, hold: number, ref: string, side: string): Command {
	return {
		kind: "place",
		origin,
		caller: town.callers.acme,
		token: town.id(holdName(hold)),
		ref,
		newOrderId: town.id(`order ${hold} of ${side}`),
		newShipmentId: town.id(`box ${hold} of ${side}`),
		externalOrderId: null,
		customer: {
			name: "Ada",
			ship_to: PORTLAND,
		},
		serviceLevel: "standard",
		note: null,
	};
}

const orderId = (town: Town, n: number): string => town.id(`order ${n} of before`);
const named = (town: Town, n: number) => ({ orderId: orderId(town, n), token: town.id(holdName(n)) });

/** Every order is one of `before`, except the one that a `place` creates for its own side. */
export function commandOf(town: Town, operation: Operation, side: string): Command {
	const caller = town.callers.acme;
	const token = town.id(holdName(0));
	switch (operation) {
		case "place":
			return place(town, 0, "cart 0", side);
		case "place under another key":
			return place(town, 0, "another cart", side);
		case "place another hold":
			return place(town, 1, "cart 0", side);
		case "consume":
			return { kind: "consume", origin, caller, token, externalRef: "sale" };
		case "release":
			return { kind: "release", origin, caller, token };
		case "expire":
			return expireOf(town);
		case "recall":
		case "recall two": {
			const units = operation === "recall" ? "all" : 2;
			const fgId = town.id("lot 0");
			return { kind: "quarantine", origin, fgId, units, reason: "recall", holders: tokensOf(town) };
		}
		default:
			return onOrder(town, operation, side);
	}
}

function onOrder(town: Town, operation: Operation, side: string): Command {
	switch (operation) {
		case "cancel":
			return { kind: "cancel", origin, reason: null, ...named(town, 0) };
		case "cancel the second":
			return { kind: "cancel", origin, reason: null, ...named(town, 1) };
		case "hold":
			return { kind: "holdOrder", orderId: orderId(town, 0), reason: "operator", detail: null };
		case "release the order":
			return { kind: "releaseOrder", origin, ...named(town, 0), shelves: new Map([[town.id("F0"), [POOLS.ACME]]]) };
		case "pick":
			return { kind: "pick", ...named(town, 0) };
		case "ship":
			return ship(town, [0], null, side);
		case "ship one":
			return ship(town, [0], [{ sku: `${town.name}-one`, qty: 1 }], side);
		case "ship both":
			return ship(town, [0, 1], null, side);
		case "void": {
			const orders = [{ ...named(town, 0), newShipmentId: town.id(`box again of ${side}`) }];
			return { kind: "voidShipment", origin, shipmentId: town.id("box of before"), orders, fgIds: [town.id("lot 0")] };
		}
		case "combine 1 + 2":
			return { kind: "combine", orderIds: [orderId(town, 0), orderId(town, 1)] };
		case "combine 2 + 1":
			return { kind: "combine", orderIds: [orderId(town, 1), orderId(town, 0)] };
		default:
			return { kind: "combine", orderIds: [orderId(town, 1), orderId(town, 2)] };
	}
}

const ship = (
	town: Town,
	orders: readonly number[],
	items: readonly { sku: string; qty: number }[] | null,
	side: string,
): Command => ({
	kind: "ship",
	origin,
	orders: orders.map((n) => named(town, n)),
	items,
	carrierCode: "ups",
	serviceCode: null,
	trackingNumber: "1Z",
	newShipmentId: town.id(`box of ${side}`),
});
