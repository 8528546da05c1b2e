import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { resolveLines } from "../../src/inventory/catalog/resolve-lines.ts";
import type { Hold } from "../../src/inventory/holds/hold.ts";
import { decideReserve } from "../../src/inventory/holds/reserve.ts";
import { answerCheck } from "../../src/inventory/stock/check.ts";
import { answerInventory } from "../../src/inventory/stock/inventory.ts";
import type { Lot } from "../../src/inventory/stock/lot.ts";
import type { Move } from "../../src/inventory/stock/move.ts";
import type { PartnerEvent } from "../../src/partners/webhooks/event.ts";
import { sizeOr } from "../sizes.ts";
import { describeHistory } from "./describe.ts";
import { Oracle } from "./oracle.ts";
import type { PackedUnits } from "./oracle-orders.ts";
import { tally } from "./oracle-stock.ts";
import { PureHouse, plain } from "./pure-house.ts";
import { history, Names, type Step, toCommand } from "./steps.ts";
import { KEY_NAMES, makeTown, RECIPES, type Town } from "./town.ts";

const HISTORIES = sizeOr(200_000, 1_000);
const town = makeTown("model");

describe("the rules of counts, holds and orders", () => {
	it("hold after each step of any history: answers, balances, holds, orders, counts, the ledger and what partners are told are what the contract says", () => {
		const result = fc.check(fc.property(history, fc.nat(), liveThrough), { numRuns: HISTORIES });
		if (!result.failed) return;
		const [steps] = result.counterexample ?? [[]];
		const cause = result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
		throw new Error(`seed ${result.seed}, path ${result.counterexamplePath}\n${describeHistory(steps)}\n${cause}`);
	}, 1_800_000);
});

function liveThrough(steps: readonly Step[], salt: number): void {
	const house = new PureHouse(town);
	const oracle = new Oracle(town, house.now);
	const names = new Names(town);
	const ledger = new Map<string, Map<string, number>>();
	const eventIds = new Set<string>();
	for (const [at, step] of steps.entries()) {
		const command = toCommand(town, names, at, step, house.today);
		if (!command) {
			house.pass(step);
			oracle.live(step, at, nothingPacked);
		} else {
			const batched = ((salt >>> (at % 31)) & 1) === 1;
			const { answer, moves } = house.run(command, batched);
			names.learn(command, answer);
			write(ledger, moves);
			const expected = oracle.live(step, at, (shipmentId) => packedIn(house, shipmentId));
			same(`answer of step ${at}`, plain(answer, house.now), expected);
		}
		write(ledger, house.open().stock.moves); // expires due holds
		const lots = [...house.lots.values()];
		same(`balances after step ${at}`, lots.map(balance).sort(), oracle.balances());
		same(`holds after step ${at}`, [...house.holds.values()].map(stateOf).sort(), oracle.states());
		same(`orders after step ${at}`, ordersOf(house), oracle.orders.states());
		same(`what partners were told by step ${at}`, house.events.map(wordOf), oracle.told);
		for (const { eventId } of house.events.slice(eventIds.size)) {
			if (eventIds.has(eventId)) throw new Error(`two events have the id ${eventId}`);
			eventIds.add(eventId);
		}
		for (const lot of lots) expectLedgerExplains(ledger, lot);
		expectOneNumber(house, oracle, salt + at);
	}
}

/** Compares texts first, because millions of comparisons must be cheap; `expect` then shows the difference. */
function same(what: string, seen: unknown, expected: unknown): void {
	if (JSON.stringify(seen) !== JSON.stringify(expected)) expect(seen, what).toEqual(expected);
}

const balance = (lot: Lot): string =>
	`${lot.fgId} in ${lot.received}+${lot.corrected}: free ${lot.available}, held ${lot.held}, allocated ${lot.allocated}, consumed ${lot.consumed}, shipped ${lot.shipped}, quarantined ${lot.quarantined}, destroyed ${lot.destroyed}`;

/** The units packed into a box, according to its reply. */
const packedIn = ({ shipments }: PureHouse, shipmentId: string): PackedUnits[] =>
	(shipments.get(shipmentId)?.items ?? []).flatMap(({ order_id, line, lots }) =>
		lots.map(({ fg_id, units }) => ({ orderId: order_id, line, lotId: fg_id, units })),
	);
const nothingPacked = (): PackedUnits[] => [];

const ordersOf = (house: PureHouse): string[] =>
	[...house.orders.values()]
		.map(({ orderId, ref, status, holdReason, shipmentIds }) => {
			const boxes = shipmentIds.map((id) => {
				const box = house.shipments.get(id);
				return `${id} ${box?.status} ${box?.orderIds.join("+")}`;
			});
			return `${orderId} ${ref} ${status} ${holdReason ?? "-"}: ${boxes.join(", ")}`;
		})
		.sort();

function wordOf({ type, orderId, body }: PartnerEvent): string {
	const { data } = JSON.parse(body) as { data: Told };
	switch (type) {
		case "order.held":
			return `${orderId} held ${data.reason}`;
		case "order.shipped":
			return `${orderId} ${data.final ? "shipped" : "shipped in part"}`;
		case "shipment.label_created":
			return `${orderId} labelled ${data.shipment.shipment_id}`;
		case "shipment.voided":
			return `${orderId} voided ${data.shipment.shipment_id}`;
		case "hold.impaired": {
			const left = data.items.map(({ reserved_qty, requested_qty }) => `${reserved_qty} of ${requested_qty}`);
			return `${data.reservation_token} has ${left.join(", ")}`;
		}
		default:
			return `${orderId} ${type.replace("order.", "")}`;
	}
}

interface Told {
	readonly reason: string;
	readonly final: boolean;
	readonly shipment: { readonly shipment_id: string };
	readonly reservation_token: string;
	readonly items: readonly { readonly requested_qty: number; readonly reserved_qty: number }[];
}

const PLACES = { held: "held", allocated: "allocated", consumed: "consumed", shipped: "shipped" } as const;
function stateOf({ reservationToken: token, status, consumeRef, parts }: Hold): string {
	const units = parts.flatMap(({ state, line, fgId, units: n }) =>
		state in PLACES ? Array.from({ length: n }, () => `${state} ${line} ${fgId}`) : [],
	);
	return `${token} ${status} ${consumeRef ?? "-"} ${tally(units)}`;
}

function write(ledger: Map<string, Map<string, number>>, moves: readonly Move[]): void {
	for (const { fgId, from, to, units } of moves) {
		const lot = ledger.get(fgId) ?? new Map<string, number>();
		ledger.set(fgId, lot);
		lot.set(from, (lot.get(from) ?? 0) - units);
		lot.set(to, (lot.get(to) ?? 0) + units);
	}
}

/** Every balance is the sum of its moves, and the units received equal the units present (settlements, section 1). */
function expectLedgerExplains(ledger: Map<string, Map<string, number>>, lot: Lot): void {
	const sums = ledger.get(lot.fgId) ?? new Map<string, number>();
	for (const bucket of ["available", "held", "allocated", "consumed", "shipped", "quarantined", "destroyed"] as const) {
		if ((sums.get(bucket) ?? 0) !== lot[bucket] || lot[bucket] < 0) {
			throw new Error(`${bucket} of ${lot.fgId} is ${lot[bucket]}, its moves say ${sums.get(bucket) ?? 0}`);
		}
	}
	const { available, held, allocated, consumed, shipped, quarantined, destroyed } = lot;
	const there = available + held + allocated + consumed + shipped + quarantined + destroyed;
	if (lot.received + lot.corrected !== there)
		throw new Error(`${there} units in ${lot.fgId}, which got ${lot.received}+${lot.corrected}`);
	if ((sums.get("received") ?? 0) !== -lot.received || (sums.get("corrected") ?? 0) !== -lot.corrected) {
		throw new Error(`what came into ${lot.fgId} is not what its moves say`);
	}
}

const LOOKS: readonly (readonly [sku: string, brand: string | undefined])[] = [
	"one",
	"pair",
	"kit",
	"tik",
	"old",
	"fee",
].flatMap((sku) => [undefined, "ACME", "BOLT"].map((brand) => [sku, brand] as const));

/**
 * Check, inventory and reserve have the same number, which is the oracle's. Each step tests one key and SKU, a
 * different pair each time.
 */
function expectOneNumber(house: PureHouse, oracle: Oracle, turn: number): void {
	const key = KEY_NAMES[turn % KEY_NAMES.length] ?? "acme";
	const [sku, brand] = LOOKS[Math.floor(turn / KEY_NAMES.length) % LOOKS.length] ?? ["one", undefined];
	const draw = oracle.draw(key, brand);
	const caller = { ...town.callers[key], maxHeldUnits: null };
	const line = { sku: `${town.name}-${sku}`, qty: 1, ...(brand === undefined ? {} : { brand_code: brand }) };
	const snapshot = house.snapshot();
	const resolved = resolveLines(snapshot.catalog, caller, [{ sku: line.sku, brandCode: brand }]);
	const checked = answerCheck(snapshot, caller, [line], resolved);
	const position = answerInventory(snapshot, line, resolved, caller.environment);
	if (typeof draw === "string") {
		expect([isRefusal(checked) && checked.refusal, isRefusal(position) && position.refusal]).toEqual([draw, draw]);
		return;
	}
	if (isRefusal(checked) || isRefusal(position)) throw new Error(`refused to count ${sku} for ${key}`);
	const { available_qty, atp_qty, promised_qty, backorder_qty } = checked.items[0] ?? fail();
	const counts = oracle.sellable(sku)
		? oracle.counts(sku, draw.pools)
		: { available_qty: 0, atp_qty: 0, promised_qty: 0, backorder_qty: 0 };
	same("the four counts", { available_qty, atp_qty, promised_qty, backorder_qty }, counts);
	same("one number", position.totals.atp, atp_qty);
	if (!oracle.sellable(sku)) return;
	const recipe = RECIPES[sku] ?? [];
	const positions = recipe.map(([formula, per_kit]) => ({
		formula_id: town.id(formula),
		per_kit,
		...oracle.position(formula, draw.pools),
	}));
	same("components", position.components ?? [], sku === "one" ? [] : positions);
	const on_hand = Math.min(...positions.map((p) => Math.floor(p.on_hand_units / p.per_kit)));
	const reserved = sku === "one" ? positions[0]?.reserved_units : on_hand - atp_qty;
	same("totals", position.totals, { on_hand, reserved, atp: atp_qty });
	expectGranted(house, town, key, sku, brand, atp_qty);
}

/** reserve(n) is granted exactly when n <= atp_qty (settlements, section 4). */
function expectGranted(
	house: PureHouse,
	of: Town,
	key: keyof Town["callers"],
	sku: string,
	brand: string | undefined,
	atp: number,
): void {
	for (const qty of atp > 0 ? [atp, atp + 1] : [1]) {
		const answer = decideReserve(house.snapshot(), {
			kind: "reserve",
			origin: { actor: "operator:test", requestId: null },
			caller: { ...of.callers[key], maxHeldUnits: null },
			newToken: of.id("trial"),
			lines: [{ sku: `${of.name}-${sku}`, qty, brandCode: brand }],
			ttlMinutes: 30,
			externalRef: null,
		});
		const came = isRefusal(answer) ? answer.refusal : "granted";
		same(`${qty} of ${atp} ${sku}`, came, qty <= atp ? "granted" : "no_inventory");
	}
}

function fail(): never {
	throw new Error("check answered no line");
}
