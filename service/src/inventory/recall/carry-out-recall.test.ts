import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PORTLAND } from "../../../test/model/script-orders.ts";
import { recallInSteps } from "../../../test/recall-steps.ts";
import { openTownShelf, type TownShelf } from "../../../test/town-shelf.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { verify } from "../../upkeep/ledger/verify.ts";
import { HOLDERS_PER_STEP } from "./find-holders.ts";

const origin = { actor: "operator:test", requestId: null };
/** More orders than one step handles, and then carts that are older than all of them. */
const ORDERS = HOLDERS_PER_STEP + 30;
const CARTS = 40;
/** Number of carts for which spare units are left after all orders that can be made complete. */
const LUCKY = 3;
const SPARE = ORDERS - 1 + LUCKY;

describe("A recall that goes in steps", () => {
	let shelf: TownShelf;
	beforeAll(async () => {
		shelf = await openTownShelf();
	});
	afterAll(() => shelf.close());

	/** `age`: seconds since it was made. */
	const reserve = async (name: string, qty: number, age: number): Promise<void> => {
		await shelf.reserve(name, qty);
		await shelf.database.db.query(
			"update hold set created_at = created_at - $2 * interval '1 second' where reservation_token = $1",
			[shelf.town.id(name), age],
		);
	};
	const place = async (name: string): Promise<void> => {
		const ids = { newOrderId: shelf.town.id(`order ${name}`), newShipmentId: shelf.town.id(`box ${name}`) };
		const customer = { name: "Ada", ship_to: PORTLAND };
		const rest = { externalOrderId: null, customer, serviceLevel: "standard", note: null } as const;
		const { acme: caller } = shelf.town.callers;
		const answer = await shelf.engine.execute({
			kind: "place",
			origin,
			caller,
			token: shelf.town.id(name),
			ref: name,
			...ids,
			...rest,
		});
		expect(isRefusal(answer)).toBe(false);
	};
	const names = (letter: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${letter}${n}`);
	/** The holds among these that have units. */
	const whole = async (all: readonly string[]): Promise<string[]> => {
		const { rows } = await shelf.database.db.query<{ token: string }>(
			"select distinct reservation_token as token from hold_part where own_state is null and fg_id = $1",
			[shelf.town.id("good")],
		);
		const tokens = new Set(rows.map(({ token }) => token));
		return all.filter((name) => tokens.has(shelf.town.id(name)));
	};

	it("gives what is spare to orders of its last step before carts, and to nobody who is not whole by it", async () => {
		const carts = names("C", CARTS);
		const orders = names("O", ORDERS);
		await shelf.receive("bad", SPARE + 1 + ORDERS - 1 + CARTS, "2030-01-01");
		await Promise.all(carts.map((name, n) => reserve(name, 1, 1_000 - n)));
		await Promise.all(orders.map((name, n) => reserve(name, n === 0 ? SPARE + 1 : 1, 500 - n)));
		await Promise.all(orders.map(place));
		await shelf.receive("good", SPARE, "2031-01-01");

		const steps: number[] = [];
		const command = { target: { fgId: shelf.town.id("bad") }, origin, reason: "bad" };
		const done = await recallInSteps(shelf.database.db, command, ({ left }) => steps.push(left));
		const lost = SPARE + 1 + CARTS - LUCKY;
		expect(done).toMatchObject({ moved: SPARE + lost, replaced: SPARE, lost, left: 0 });
		expect(steps).toHaveLength(3); // the free units, and two steps of holders

		expect(await whole(orders)).toEqual(orders.slice(1));
		expect(await whole(carts)).toEqual(carts.slice(0, LUCKY));
		const { rows } = await shelf.database.db.query("select ref, hold_reason from orders where status <> 'placed'");
		expect(rows).toEqual([{ ref: "O0", hold_reason: "lot_recalled" }]);
		expect((await verify(shelf.database.db)).differences.map(({ rule }) => rule)).toEqual(["hold-without-key"]); // a town has none
	});
});
